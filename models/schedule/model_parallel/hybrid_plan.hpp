#pragma once

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/model_parallel/hybrid_step.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// One stage of a pipeline, as a plan's writer knows it.
struct PlannedStage {
  std::string holds;  ///< "embedding .. block 11"
  Rank rank = 0;      ///< One that stands for all of its ranks.
  MemoryUse memory;
};

/// A plan that cuts the model, and how.
struct HybridPlan {
  Plan plan;
  std::string layout;                ///< "tp=8,pp=4,dp=2"
  std::vector<PlannedStage> stages;  ///< By stage.
  std::vector<PlannedPass> passes;   ///< In order of their tasks.
  double model_flops = 0;            ///< That the model needs for a step, all GPUs together.
  double hardware_flops = 0;         ///< The same with what is recomputed.
  FlopsPerSecond peak{};             ///< Of one GPU; 0: unknown.
  /// The step's passes, micro-batch by micro-batch, on one GPU that holds all of the model, and
  /// what all ranks update: time of GPUs that wait for nobody.
  Seconds alone{};
};

/// The tasks of a job: passes in the order of each stage, messages between stages, gradients of the
/// last pass, optimiser. Linear in passes; a pass is one task, and one for each unit where
/// parameters are gathered or gradients leave meanwhile.
HybridPlan hybrid_plan(const HybridJob& job, const Workload& model, const Cluster& cluster,
                       const OptionReader& read);

}  // namespace stepcast
