#pragma once

#include <string>

#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {

/// Hours against cost of everything that was simulated and fits, the front joined by a line; below
/// it memory against step time on the best's GPUs. An SVG document.
std::string plan_figure(const CapacityPlan& plan);

}  // namespace stepcast
