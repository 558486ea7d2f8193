#include "sim/search/options/timed_plans.hpp"

#include <utility>

#include "models/schedule/period.hpp"
#include "sim/forecast/tuning/plan_hash.hpp"
#include "sim/jobs/edits/planned_step.hpp"

namespace stepcast {

Seconds TimedPlans::step_of(const Plan& plan) {
  const Plan whole = unrolled(plan);
  const EditableStep step = editable(whole);
  if (step.timed)
    return step.timed->step;
  TimedStep timed = step.time(step.graphs);
  return timed_.emplace(hash_of(whole), std::move(timed)).first->second.step;
}

EditableStep TimedPlans::editable(const Plan& plan) const {
  EditableStep step = editable_step(plan, job_.workload, job_.cluster, job_.engine);
  if (const auto found = timed_.find(hash_of(plan)); found != timed_.end())
    step.timed = found->second;
  return step;
}

}  // namespace stepcast
