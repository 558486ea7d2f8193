#include "traces/readers/pipedream/profile_batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/pipedream/module_text.hpp"

namespace stepcast {

namespace {

constexpr double kBytesPerElement = 4;

/// The batch that a linear layer's output gives; 0 if it is not a whole number.
double linear_batch(const GraphNode& node) {
  const auto outputs = static_cast<double>(module_outputs(node.description));
  if (outputs == 0)
    return 0;
  const double batch = node.activation.value / (kBytesPerElement * outputs);
  const bool whole =
      batch == std::floor(batch) && batch <= std::numeric_limits<std::uint32_t>::max();
  return whole ? batch : 0;
}

}  // namespace

std::optional<std::uint32_t> derived_batch(const GraphFile& file) {
  double batch = 0;
  for (const GraphNode& node : file.nodes) {
    if (module_kind(node.description) != "Linear")
      continue;
    const double here = linear_batch(node);
    if (here == 0 || (batch != 0 && here != batch))
      return std::nullopt;
    batch = here;
  }
  if (batch == 0)
    return std::nullopt;
  return static_cast<std::uint32_t>(batch);
}

ProfileBatch profile_batch(const GraphFile& file, std::optional<std::uint32_t> stated,
                           const std::string& origin) {
  const std::optional<std::uint32_t> derived = derived_batch(file);
  if (!stated && !derived) {
    throw InputError(origin + ": the batch is not in the file: give it with --batch");
  }
  if (stated && *stated == 0)
    throw InputError("batch: expected at least 1, found 0");
  if (stated && derived && *stated != *derived) {
    throw InputError(
        fmt::format("{}: the stated batch {} contradicts the file, whose linear "
                    "layers have outputs for a batch of {}",
                    origin, *stated, *derived));
  }
  return stated ? ProfileBatch{*stated, !derived} : ProfileBatch{*derived, false};
}

double macs_per_sample(const GraphNode& node, const std::vector<Parameter>& parameters,
                       std::uint32_t batch) {
  const auto outputs = static_cast<double>(module_outputs(node.description));
  if (outputs == 0 || parameters.empty() || parameters[0].name != "weight")
    return 0;
  const double positions = node.activation.value / (kBytesPerElement * outputs * batch);
  if (positions != std::floor(positions))
    return 0;
  return positions * static_cast<double>(parameters[0].elements);
}

}  // namespace stepcast
