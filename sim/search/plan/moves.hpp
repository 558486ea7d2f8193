#pragma once

#include "sim/search/plan/plan_trial.hpp"

namespace stepcast {

/// Trials that differ from one by one option that the user does not list: words and, of layouts,
/// counts near its own; of data parallelism sizes of half and twice as much.
std::vector<PlanTrial> moves_from(const PlanSpace& space, const PlanTrial& from);

/// Those that change a size alone.
std::vector<PlanTrial> resized_from(const PlanSpace& space, const PlanTrial& from);

}  // namespace stepcast
