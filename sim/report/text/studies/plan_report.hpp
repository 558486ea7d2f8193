#pragma once

#include <string>

#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {

/// The ten best, the fronts, changes, outlook, notes, and the command that runs the best.
std::string render_plan(const CapacityPlan& plan);

std::string plan_json(const CapacityPlan& plan);

/// A line for each choice that was simulated, best first.
std::string plan_csv(const CapacityPlan& plan);

/// "micro_batch=2 recompute=full": what is not said by its layout.
std::string other_options(const ScheduleOptions& options);

/// The command that forecasts a choice by itself.
std::string run_command_of(const PlanSpace& space, const PlanTrial& trial);

}  // namespace stepcast
