#pragma once
// How all reports write the same things.

#include <string>
#include <string_view>
#include <vector>

#include "models/network/cluster.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// "64 GPUs", "1 GPU"
std::string gpus_in_words(std::uint32_t count);

/// "resnet50-rtx2080ti-bs64 on rtx2080ti-16x4-10gbe, 64 GPUs (16 x 4)"
std::string setup_of(std::string_view workload, std::string_view cluster, std::uint32_t nodes,
                     std::uint32_t gpus_per_node);
/// The same with ", flow fidelity".
std::string setup_of(std::string_view workload, const Cluster& cluster, Fidelity fidelity);

/// An empty line, the heading and a "- " before each sentence; nothing if there are none.
std::string list_of(std::string_view heading, const std::vector<std::string>& sentences);

}  // namespace stepcast
