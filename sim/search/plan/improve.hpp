#pragma once

#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {

/// Changes one option of the best choice of each size on the front at a time, takes the change that
/// gains most, and goes on until none helps or kRounds are over; before that in the same way, in
/// analytic simulations, what other schedules of data parallelism do best there, where it is within
/// kNear of the best. Options that the user lists stay. What is found joins the choices; order and
/// front are made anew.
void improve_plan(CapacityPlan& plan, std::uint32_t workers, const std::function<void()>& finished);

/// Simulates layouts of the best one's size that no other is both faster and smaller than, by their
/// bounds, and finds which of them stay so.
void find_memory_front(CapacityPlan& plan, std::uint32_t workers,
                       const std::function<void()>& finished);

}  // namespace stepcast
