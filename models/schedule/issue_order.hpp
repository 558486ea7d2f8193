#pragma once

#include <vector>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// An order in which one thread can hand the tasks of an iteration to their streams: every task
/// after those before it on its stream (plan order) and after those that it waits for. Of several
/// that could be next communication comes first, then the lowest id: a GPU's stream takes about a
/// thousand launches before the thread has to wait for it, and a collective handed over only after
/// that many of compute would start late. The plan alone decides, so that all ranks agree. Throws
/// InputError if there is no such order.
std::vector<TaskId> issue_order(const Plan& plan);

}  // namespace stepcast
