#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/readers/pipedream/graph_file.hpp"

namespace stepcast {

/// Indices of the nodes such that every producer comes before its consumers; among nodes that are
/// free to go, the smallest number first (Kahn's algorithm). Throws InputError naming a node of a
/// cycle and its line, if there is one.
std::vector<std::uint32_t> forward_order(const GraphFile& file, const std::string& origin);

}  // namespace stepcast
