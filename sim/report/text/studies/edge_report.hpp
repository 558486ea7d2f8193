#pragma once

#include <string>

#include "sim/study/edge/edge_round.hpp"

namespace stepcast {

/// A row for each device, with the band cut in equal parts and as is best.
std::string render_edge(const std::vector<EdgeDevice>& devices);
std::string edge_json(const std::vector<EdgeDevice>& devices);

}  // namespace stepcast
