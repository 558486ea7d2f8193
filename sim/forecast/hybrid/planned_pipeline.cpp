#include "sim/forecast/hybrid/planned_pipeline.hpp"

#include <algorithm>

#include "sim/engine/steps.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"

namespace stepcast {
namespace {

constexpr const char* kPartition = "partition";

/// Returns the slowness of each rank; empty: no rank is slow all the time, or slow-downs are drawn.
std::vector<double> slowness_of(const ScheduledJob& job) {
  const SlowDown& slow = job.engine.slow_down;
  const bool by_laws = !slow.laws.empty() && !slow.is_chance();
  std::vector<double> factors;
  if (!by_laws && job.engine.stragglers.empty())
    return factors;
  for (Rank rank = 0; rank < job.cluster.ranks(); ++rank)
    factors.push_back(by_laws ? slow.factor(rank, 0) : 1);
  for (const auto& [rank, factor] : job.engine.stragglers)
    factors.at(rank) *= factor;
  return factors;
}

HybridRun run_of(const ScheduledJob& job, const ScheduleOptions& options) {
  return build_hybrid(job.info(), job.workload, job.cluster, options, slowness_of(job));
}

/// Chance would take all seeds for each.
Seconds step_of(const HybridRun& run, const ScheduledJob& job) {
  EngineOptions engine = engine_of(job, run.job);
  engine.fold = true;
  if (engine.slow_down.is_chance())
    engine.slow_down = {};
  return step_time_of(run.hybrid.plan, job.cluster, engine);
}

bool fits(const HybridRun& run, const HybridRun& found, const Cluster& cluster) {
  const Bytes room = std::max(cluster.device.memory, found.hybrid.plan.memory.total());
  return cluster.device.memory == Bytes{} || run.hybrid.plan.memory.total() <= room;
}

}  // namespace

HybridRun planned_pipeline(const ScheduledJob& job) {
  HybridRun best = run_of(job, job.options);
  if (best.options.at(kPartition) != "best")
    return best;
  std::vector<HybridRun> others;
  for (const char* partition : {"equal", "time"}) {
    ScheduleOptions options = job.options;
    options[kPartition] = partition;
    HybridRun other = run_of(job, options);
    if (other.job.first_unit != best.job.first_unit && fits(other, best, job.cluster))
      others.push_back(std::move(other));
  }
  Seconds least = others.empty() ? Seconds{} : step_of(best, job);
  for (HybridRun& other : others)
    if (const Seconds step = step_of(other, job); step < least) {
      least = step;
      best = std::move(other);
    }
  best.options[kPartition] = "best";
  return best;
}

}  // namespace stepcast
