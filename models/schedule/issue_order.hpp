#pragma once

#include <vector>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// An order in which one thread can hand the tasks of an iteration to their streams: every task
/// after those before it on its stream (plan order) and after those that it waits for; of several
/// that could be next the one of the lowest id. Throws InputError if there is none.
std::vector<TaskId> issue_order(const Plan& plan);

}  // namespace stepcast
