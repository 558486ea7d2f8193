#pragma once

#include "models/base/fields.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/search/plan/plan_space.hpp"

namespace stepcast {

/// A lower bound of a candidate's time and memory, or why its schedule refuses it.
struct PlanBound {
  double sample_s = 0;    ///< Seconds of a sample: of a step over its samples.
  Bytes memory{};         ///< Of a GPU; 0: not worked out.
  std::string refusal{};  ///< Why the schedule refuses the candidate; empty: it does not.
};

auto fields_of(Is<PlanBound> auto& bound) {
  auto& [sample_s, memory, refusal] = bound;
  return std::tie(sample_s, memory, refusal);
}

/// Of a schedule that cuts the model, for stages i of m micro-batches:
///
///   max over i of sum_{j<i}(F_j + B_j + 2 messages) + m (F_i + B_i), + tail of stage 0
///
/// where the tail is what its last gradients still travel behind its last pass, the norm, the
/// update and the gathering of parameters; and with zero=3 what gathers and reductions take of the
/// network. Exact for equal stages and free messages. Of others: their
/// compute.
///
/// Costs a job of 2p micro-batches at most, some 0.1 ms. Throws InputError for a candidate that the
/// schedule refuses.
PlanBound bound_of(const PlanSpace& space, const PlanCandidate& candidate);

/// The same for a job's step.
Seconds step_bound(const HybridJob& job, const Workload& model, const Cluster& cluster);

}  // namespace stepcast
