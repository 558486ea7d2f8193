#include "traces/readers/kineto/layers/supplied_shapes.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace stepcast {
namespace {

using Supplied = std::vector<SuppliedGradient>;
using Elements = std::vector<std::uint64_t>;

std::vector<LayerGradient*> gradients_of(StepLayers& step) {
  std::vector<LayerGradient*> gradients;
  for (LayerTimes& layer : step.layers)
    for (LayerGradient& gradient : layer.gradients)
      gradients.push_back(&gradient);
  std::ranges::sort(gradients, {}, [](const LayerGradient* g) { return g->order; });
  return gradients;
}

/// Elements of the step's gradients by the numbers of their calls; empty unless all are there.
Elements by_record_id(const std::vector<LayerGradient*>& gradients, const Supplied& supplied) {
  std::unordered_map<std::uint64_t, std::uint64_t> known;
  for (const SuppliedGradient& gradient : supplied)
    if (gradient.record_id > 0)
      known.emplace(gradient.record_id, gradient.elements);
  Elements elements;
  for (const LayerGradient* gradient : gradients) {
    const auto found = known.find(gradient->record_id);
    if (found == known.end())
      return {};
    elements.push_back(found->second);
  }
  return elements;
}

/// Elements in order; empty unless the list is one sequence of `count`, once or repeated.
Elements by_order(std::size_t count, const Supplied& supplied) {
  if (supplied.empty() || supplied.size() % count != 0)
    return {};
  Elements elements;
  for (std::size_t i = 0; i < supplied.size(); ++i) {
    if (i < count)
      elements.push_back(supplied[i].elements);
    else if (supplied[i].elements != elements[i % count])
      return {};
  }
  return elements;
}

/// How many sizes were missing and are now there.
std::size_t fill(const std::vector<LayerGradient*>& gradients, const Elements& elements,
                 const std::string& place, ImportReport& report) {
  std::size_t filled = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    LayerGradient& gradient = *gradients[i];
    if (gradient.elements == 0 && elements[i] > 0) {
      gradient.elements = elements[i];
      ++filled;
    } else if (gradient.elements != elements[i]) {
      report.doubt("gradient of another shape than in the execution trace", place);
    }
  }
  return filled;
}

/// What one execution trace gave to all steps.
struct Tally {
  std::size_t by_id = 0;
  std::size_t by_order = 0;
};

void supply_step(const TraceSupplement& supplement, StepLayers& step, Tally& tally,
                 ImportReport& report) {
  const std::vector<LayerGradient*> gradients = gradients_of(step);
  if (gradients.empty())
    return;
  const std::string place = fmt::format("step {}", step.step);
  if (const Elements found = by_record_id(gradients, supplement.gradients); !found.empty())
    tally.by_id += fill(gradients, found, place, report);
  else if (const Elements ordered = by_order(gradients.size(), supplement.gradients);
           !ordered.empty())
    tally.by_order += fill(gradients, ordered, place, report);
  else
    report.doubt("step whose gradients are not those of the execution trace", place);
}

}  // namespace

std::string supply_shapes(const std::vector<TraceSupplement>& supplements,
                          std::vector<StepLayers>& steps, ImportReport& report) {
  std::string how;
  for (const TraceSupplement& supplement : supplements) {
    if (supplement.gradients.empty())
      continue;
    Tally tally;
    for (StepLayers& step : steps)
      supply_step(supplement, step, tally, report);
    if (tally.by_id + tally.by_order > 0)
      how = fmt::format("execution trace {}: {} joined by their calls' numbers, {} by order",
                        supplement.origin, tally.by_id, tally.by_order);
  }
  return how;
}

}  // namespace stepcast
