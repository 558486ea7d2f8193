#pragma once

#include <cstdint>
#include <vector>

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// A pass of a stage: its tasks begin with this one, and those of the stage's next with another.
struct PlannedPass {
  TaskId first = 0;
  std::uint32_t micro_batch = 0;
  std::uint32_t chunk = 0;  ///< Which of the parts that the rank holds.
  PassKind kind = PassKind::Forward;
};

/// A plan, and its passes, stage by stage, each in its order: so in that of their tasks, too.
struct PlannedStep {
  Plan plan;
  std::vector<PlannedPass> passes;
  /// What a rank holds for each part with a data-parallel schedule's exchange; else empty.
  std::vector<MemoryUse> exchange_memory;
};

/// The tasks of one step of a job that cuts its model; see hybrid_plan(), which adds what the plan
/// says of itself.
PlannedStep hybrid_step(const HybridJob& job, const Workload& model, const Cluster& cluster,
                        const OptionReader& read);

}  // namespace stepcast
