#include "sim/jobs/edits/replicated_step.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/period.hpp"
#include "sim/forecast/hybrid/planned_pipeline.hpp"
#include "sim/jobs/edits/pipeline_step.hpp"
#include "sim/jobs/edits/planned_step.hpp"

namespace stepcast {
namespace {

/// How many times as large the cluster becomes.
std::uint32_t grow(Cluster& cluster, std::uint32_t ranks) {
  const std::uint32_t have = cluster.ranks();
  if (ranks % have != 0 || ranks <= have)
    throw InputError(
        fmt::format("expected a multiple of the {} GPUs that are planned, such as {}, found {}",
                    have, 2 * have, ranks));
  const std::uint32_t times = ranks / have;
  cluster.nodes *= times;
  return times;
}

}  // namespace

ReplicatedPlans::ReplicatedPlans(Scenario scenario, std::string schedule)
    : scenario_(std::move(scenario)), schedule_(std::move(schedule)) {}

EditableStep ReplicatedPlans::at(std::uint32_t ranks) {
  Scenario larger = scenario_;
  grow(larger.cluster, ranks);
  Plan plan = unrolled(planned(larger, schedule_).plan);
  const Kept& kept = kept_.emplace_back(Kept{std::move(larger), std::move(plan)});
  return editable_step(kept.plan, kept.scenario.workload, kept.scenario.cluster,
                       kept.scenario.engine);
}

ReplicatedPipelines::ReplicatedPipelines(HybridScenario scenario)
    : scenario_(std::move(scenario)) {}

EditableStep ReplicatedPipelines::at(std::uint32_t ranks) {
  HybridScenario larger = scenario_;
  const std::uint32_t times = grow(larger.cluster, ranks);
  const auto batch = larger.options.find("global_batch");
  if (batch != larger.options.end() && batch->second != "auto")
    batch->second = std::to_string(std::uint64_t{parse_count(batch->second, 1)} * times);
  HybridRun run = planned_pipeline(larger);
  const Kept& kept = kept_.emplace_back(Kept{std::move(larger), std::move(run)});
  return editable_step(kept.run, kept.scenario.model, kept.scenario.cluster, kept.scenario.engine);
}

}  // namespace stepcast
