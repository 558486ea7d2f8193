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

ReplicatedPipelines::ReplicatedPipelines(ScheduledJob job) : job_(std::move(job)) {}

EditableStep ReplicatedPipelines::at(std::uint32_t ranks) {
  Cluster& cluster = clusters_.emplace_back(job_.cluster);
  const std::uint32_t times = grow(cluster, ranks);
  ScheduleOptions options = job_.options;
  const auto batch = options.find("global_batch");
  if (batch != options.end() && batch->second != "auto")
    batch->second = std::to_string(std::uint64_t{parse_count(batch->second, 1)} * times);
  const HybridRun& run = runs_.emplace_back(planned_pipeline({.workload = job_.workload,
                                                              .cluster = cluster,
                                                              .schedule = job_.schedule,
                                                              .options = std::move(options),
                                                              .engine = job_.engine}));
  return editable_step(run, job_.workload, cluster, job_.engine);
}

}  // namespace stepcast
