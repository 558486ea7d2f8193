#pragma once

#include "sim/search/plan/plan_trial.hpp"

namespace stepcast {

/// Of candidates that no schedule refuses the `count` whose GPUs need least, least first; their
/// memory is worked out, nothing is simulated. Of a schedule that does not cut the model only the
/// smallest passes are looked at. A signal that asks to stop ends the look early.
std::vector<std::size_t> of_least_memory(const PlanSpace& space,
                                         const std::vector<PlanBound>& bounds, std::size_t count);

/// Returns, for each cluster that the user gives several sizes of, the candidate of least memory on
/// the smallest size whose GPUs hold it; none for a cluster on which nothing fits, or whose GPUs'
/// memory is not known. A signal that asks to stop ends the look early.
std::vector<std::size_t> fewest_gpus_that_fit(const PlanSpace& space,
                                              const std::vector<PlanBound>& bounds);

}  // namespace stepcast
