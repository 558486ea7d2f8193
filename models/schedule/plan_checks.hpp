#pragma once

#include <string>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// "forward of conv1", "all-reduce \"bucket 3\"": a task as messages name it.
std::string describe(const Plan& plan, TaskId task);

/// An edge holds on the ranks that run both of its tasks. Throws InputError naming the tasks where
/// there is none: the edge would hold nowhere.
void require_common_ranks(const Plan& plan);

}  // namespace stepcast
