#pragma once

#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// Iteration time over the training steps of the plan: what systems are compared by.
Seconds mean_step_time(const Plan& plan, const Timeline& timeline);

/// simulate() without intervals and places: where only times are asked for it needs less memory. An
/// engine that is to be chosen is StepCast's own.
Timeline simulate_times(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// mean_step_time() of a simulation that is needed for nothing else.
Seconds step_time_of(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// Simulates a plan whose steps may repeat (RepeatedSteps); simulate() throws StepsDiffer where
/// they turn out to differ. Then more and more rows of `plan` are written out until they do not.
Timeline simulate_steps(Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// Times of the training steps of the reported iteration, in order: each from the start of its
/// first compute task on the class to that of the next step, the last to the end of the iteration.
/// One entry, the iteration time, where an iteration is one step.
std::vector<Seconds> step_times(const Plan& plan, const Timeline& timeline, ClassId rank_class);

}  // namespace stepcast
