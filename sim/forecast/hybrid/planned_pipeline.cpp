#include "sim/forecast/hybrid/planned_pipeline.hpp"

#include <algorithm>

#include "sim/engine/steps.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"

namespace stepcast {
namespace {

constexpr const char* kPartition = "partition";

/// Returns the slowness of each rank; empty: no rank is slow all the time, or slow-downs are drawn.
std::vector<double> slowness_of(const HybridScenario& scenario) {
  const SlowDown& slow = scenario.engine.slow_down;
  const bool by_laws = !slow.laws.empty() && !slow.is_chance();
  std::vector<double> factors;
  if (!by_laws && scenario.engine.stragglers.empty())
    return factors;
  for (Rank rank = 0; rank < scenario.cluster.ranks(); ++rank)
    factors.push_back(by_laws ? slow.factor(rank, 0) : 1);
  for (const auto& [rank, factor] : scenario.engine.stragglers)
    factors.at(rank) *= factor;
  return factors;
}

HybridRun run_of(const HybridScenario& scenario, const ScheduleOptions& options) {
  return build_hybrid(*scenario.pipeline, scenario.model, scenario.cluster, options,
                      slowness_of(scenario));
}

/// Chance would take all seeds for each.
Seconds step_of(const HybridRun& run, const HybridScenario& scenario) {
  EngineOptions engine = scenario.engine;
  engine.fold = true;
  engine.slow_down =
      engine.slow_down.is_chance()
          ? SlowDown{}
          : slow_downs_by_stage(std::move(engine.slow_down), run.job, scenario.model.workload);
  return step_time_of(run.hybrid.plan, scenario.cluster, engine);
}

bool fits(const HybridRun& run, const HybridRun& found, const Cluster& cluster) {
  const Bytes room = std::max(cluster.device.memory, found.hybrid.plan.memory.total());
  return cluster.device.memory == Bytes{} || run.hybrid.plan.memory.total() <= room;
}

}  // namespace

HybridRun planned_pipeline(const HybridScenario& scenario) {
  HybridRun best = run_of(scenario, scenario.options);
  if (best.options.at(kPartition) != "best")
    return best;
  std::vector<HybridRun> others;
  for (const char* partition : {"equal", "time"}) {
    ScheduleOptions options = scenario.options;
    options[kPartition] = partition;
    HybridRun other = run_of(scenario, options);
    if (other.job.first_unit != best.job.first_unit && fits(other, best, scenario.cluster))
      others.push_back(std::move(other));
  }
  Seconds least = others.empty() ? Seconds{} : step_of(best, scenario);
  for (HybridRun& other : others)
    if (const Seconds step = step_of(other, scenario); step < least) {
      least = step;
      best = std::move(other);
    }
  best.options[kPartition] = "best";
  return best;
}

}  // namespace stepcast
