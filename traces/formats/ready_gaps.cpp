#include "traces/formats/ready_gaps.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

constexpr double kAssumedForwardShare = 0.5;  // Two products in backward for one in forward.

std::string module_of(const std::string& tensor) {
  const std::size_t dot = tensor.rfind('.');
  return dot == std::string::npos ? tensor : tensor.substr(0, dot);
}

/// Layers in the order of the backward pass; a module that comes again is a layer of its own.
std::vector<Layer> layers_of(const std::vector<ReadyGradient>& gradients, double forward_share) {
  std::vector<Layer> layers;
  std::set<std::string> names;
  std::string module;
  for (const ReadyGradient& gradient : gradients) {
    const std::string name = module_of(gradient.name);
    if (layers.empty() || name != module) {
      std::string own = name;
      for (std::size_t use = 2; !names.insert(own).second; ++use)
        own = fmt::format("{}-{}", name, use);
      layers.push_back({.name = own, .kind = "Module", .parameters = {}});
      module = name;
    }
    layers.back().parameters.push_back({.name = gradient.name, .elements = gradient.elements});
    layers.back().backward += gradient.gap;
    layers.back().forward = layers.back().backward * forward_share;
  }
  return layers;
}

}  // namespace

Workload workload_of_gaps(const std::vector<ReadyGradient>& gradients, const ReadyGapsFacts& facts,
                          const ImportOptions& options, ImportReport& report) {
  if (gradients.empty())
    throw InputError(facts.origin + ": expected gradients, found none");
  if (!options.batch)
    throw InputError(facts.origin + ": the batch is not in the file: give it with --batch");
  if (!options.forward_share)
    report.doubt("forward time assumed to be half the backward time", facts.origin);
  Workload workload;
  workload.model = options.model.empty() ? facts.model : options.model;
  workload.device = options.device.empty() ? facts.device : options.device;
  workload.batch = *options.batch;
  workload.name = fmt::format("{}-{}-bs{}", workload.model, workload.device, workload.batch);
  const double share = options.forward_share.value_or(kAssumedForwardShare);
  workload.layers = layers_of(gradients, share);
  std::ranges::reverse(workload.layers);
  if (backward_time(workload) <= Seconds{})
    throw InputError(facts.origin + ": expected times between gradients, found none above zero");
  workload.provenance = {
      .kind = ProvenanceKind::Measured,
      .source = options.source.empty() ? facts.source : options.source,
      .method = facts.method,
      .notes = {fmt::format("forward times are not measured: {} of the backward times, {}", share,
                            options.forward_share ? "as given by the user" : "assumed"),
                "the backward time before the first gradient is not measured and left out"}};
  return workload;
}

}  // namespace stepcast
