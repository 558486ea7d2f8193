#include "models/device/compression.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stepcast {
namespace {

constexpr double kValueSize = 4;  // fp32

Seconds passes_time(const CompressionCosts& costs, double passes, double elements) {
  if (passes == 0 || elements == 0)
    return {};
  return Bytes{passes * kValueSize * elements} / costs.memory_bandwidth;
}

Seconds exact_time(const CompressionCosts& costs, double elements) {
  return costs.launch + costs.exact * (elements * std::log2(std::max(2.0, elements)));
}

Seconds pick_time(const CompressionCosts& costs, double elements) {
  return costs.launch + passes_time(costs, costs.pick_passes, elements);
}

}  // namespace

Seconds selection_time(const CompressionCosts& costs, Selection selection, double elements) {
  switch (selection) {
    case Selection::Exact:
      return exact_time(costs, elements);
    case Selection::Search:
      return costs.launch * costs.search_rounds +
             passes_time(costs, costs.search_rounds, elements) + pick_time(costs, elements);
    case Selection::Sampled:
      return exact_time(costs, costs.sample * elements) + pick_time(costs, elements);
    case Selection::Fitted:
      return costs.launch * std::ceil(costs.fit_passes) +
             passes_time(costs, costs.fit_passes, elements) + pick_time(costs, elements);
    case Selection::Reused:
      return pick_time(costs, elements);
    case Selection::Free:
      return {};
  }
  assert(false);
  return {};
}

Seconds feedback_time(const CompressionCosts& costs, double elements) {
  return costs.launch * 2 + passes_time(costs, costs.feedback_passes, elements);
}

Seconds scatter_add_time(const CompressionCosts& costs, double entries, double elements) {
  return costs.launch * 2 + passes_time(costs, 1, elements) +
         costs.scatter_traffic * entries / costs.memory_bandwidth;
}

Seconds merge_time(const CompressionCosts& costs, double entries) {
  return scatter_add_time(costs, entries, 0) + exact_time(costs, 2 * entries);
}

Seconds low_rank_time(const CompressionCosts& costs, double elements, double kernels,
                      double passes_part) {
  return costs.launch * kernels + passes_time(costs, costs.low_rank_passes * passes_part, elements);
}

double union_density(double rho, std::uint32_t selections, double clustering) {
  const double independent = 1 - std::pow(1 - rho, selections);
  return independent + clustering * (rho - independent);
}

}  // namespace stepcast
