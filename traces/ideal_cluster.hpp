#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/network/cluster.hpp"

namespace stepcast {

/// A cluster in which only size and bandwidth cost time: 100 Gb/s adapters, 100 GB/s inside a node,
/// no start-up, no software cost, no slowdown of compute. For tests and upper bounds.
Cluster ideal_cluster(std::uint32_t nodes, std::uint32_t gpus_per_node);

/// The ideal cluster named "ideal-<nodes>x<gpus>"; nullopt for a name that does not begin so.
/// Throws InputError for a size such as "ideal-0x4".
std::optional<Cluster> find_ideal_cluster(std::string_view name);

}  // namespace stepcast
