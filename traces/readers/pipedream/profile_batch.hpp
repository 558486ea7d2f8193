#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/workload/workload.hpp"
#include "traces/readers/pipedream/graph_file.hpp"

namespace stepcast {

/// The batch of a profile, and how it is known.
struct ProfileBatch {
  std::uint32_t size = 1;
  bool stated = false;  ///< By the user; else derived from the linear layers.
};

/// A linear layer's output takes batch x out_features x 4 bytes, so its activation_size gives the
/// batch if all linear layers agree on a whole number; else none.
std::optional<std::uint32_t> derived_batch(const GraphFile& file);

/// What the user stated, else what the file gives. Throws InputError if they contradict each other,
/// or if neither says anything.
ProfileBatch profile_batch(const GraphFile& file, std::optional<std::uint32_t> stated,
                           const std::string& origin);

/// Multiply-accumulates of a convolution or linear layer: each weight is used once at each position
/// of the output. 0 for other modules, or if the sizes do not divide.
double macs_per_sample(const GraphNode& node, const std::vector<Parameter>& parameters,
                       std::uint32_t batch);

}  // namespace stepcast
