#include "sim/jobs/edits/replicated_step.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/period.hpp"
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

EditableStep editable_step(const PlannedRun& run, const Workload& workload,
                           const Cluster& cluster) {
  return run.pipeline ? editable_step(run.plan, run.pipeline->job, workload, cluster, run.engine)
                      : editable_step(run.plan, workload, cluster, run.engine);
}

EditableStep ReplicatedPlans::at(std::uint32_t ranks) {
  Cluster cluster = job_.cluster;
  const std::uint32_t times = grow(cluster, ranks);
  ScheduledJob larger{job_.workload, cluster, job_.schedule, job_.options, job_.engine};
  const auto batch = larger.options.find("global_batch");
  if (batch != larger.options.end() && batch->second != "auto")
    batch->second = std::to_string(std::uint64_t{parse_count(batch->second, 1)} * times);
  PlannedRun run = planned(larger);
  run.plan = unrolled(std::move(run.plan));
  const Kept& kept = kept_.emplace_back(Kept{std::move(cluster), std::move(run)});
  return editable_step(kept.run, job_.workload, kept.cluster);
}

}  // namespace stepcast
