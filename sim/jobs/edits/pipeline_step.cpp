#include "sim/jobs/edits/pipeline_step.hpp"

#include <algorithm>

#include "sim/jobs/edits/planned_step.hpp"

namespace stepcast {

EditableStep editable_step(const Plan& plan, const HybridJob& job, const Workload& model,
                           const Cluster& cluster, const EngineOptions& engine) {
  std::vector<std::uint32_t> stage_of_rank;
  for (Rank rank = 0; rank < job.layout.ranks(); ++rank)
    stage_of_rank.push_back(job.layout.stage_of(rank));
  EditableStep step =
      editable_step(plan, planned_model(job, model), cluster, engine, stage_of_rank);
  step.graphs.front().timed_messages = job.blocked > Seconds{} || !job.links.empty();
  if (std::ranges::any_of(job.units, [](const ModelUnit& unit) { return unit.sent > Bytes{}; }))
    step.notes.push_back(
        "messages inside layers are time of their stage, which edits of communications leave as it "
        "is");
  return step;
}

}  // namespace stepcast
