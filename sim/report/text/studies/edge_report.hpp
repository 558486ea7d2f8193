#pragma once

#include <string>

#include "sim/study/edge/edge_round.hpp"

namespace stepcast {

/// Returns rows for each device, with the band cut in equal parts, as is best for the blocks given,
/// and with blocks and shares chosen together; then the rounds of six ways to choose them.
std::string render_edge(const std::vector<EdgeDevice>& devices);
std::string edge_json(const std::vector<EdgeDevice>& devices);

}  // namespace stepcast
