#pragma once

#include <string>
#include <vector>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/memory_use.hpp"
#include "sim/asynchronous/protocol_report.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/chance/seeds.hpp"
#include "sim/forecast/hybrid/bubble_split.hpp"
#include "sim/forecast/step_without.hpp"
#include "sim/timeline/breakdown.hpp"
#include "sim/timeline/links.hpp"

namespace stepcast {

/// A stretch of the critical path in words.
struct PathEntry {
  std::string what;  ///< "forward of conv1 .. fc", `all-reduce "bucket 2"`, "idle"
  Seconds begin{};   ///< From the begin of the iteration.
  Seconds time{};
};

auto fields_of(Is<PathEntry> auto& entry) {
  auto& [what, begin, time] = entry;
  return std::tie(what, begin, time);
}

/// What a stage of a pipeline does in a step.
struct StageForecast {
  Rank rank = 0;      ///< It stands for the stage's ranks.
  std::string holds;  ///< "embedding .. block 11"
  Seconds time{};     ///< Its passes and its update, messages inside layers included.
  Seconds bubble{};   ///< The rest of the step: messages, other stages, gradients.
  BubbleSplit split;  ///< Adds up to the bubble.
  Bytes memory{};
};

auto fields_of(Is<StageForecast> auto& stage) {
  auto& [rank, holds, time, bubble, split, memory] = stage;
  return std::tie(rank, holds, time, bubble, split, memory);
}

/// Everything that a report prints about one run. Times and bytes are per training step, but for
/// the critical path, which is that of a period. Plain values, no references: forecasts can be
/// kept, sorted and compared after plan and timeline are gone.
struct Forecast {
  std::string workload{};
  std::string cluster{};
  std::string schedule{};
  std::string layout{};       ///< Of a model that is cut: "tp=8,pp=4,dp=2".
  ScheduleOptions options{};  ///< In force: the defaults overlaid with what the user set.
  std::string device{};
  std::uint32_t batch = 1;  ///< Samples per GPU and step.
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;
  std::uint32_t gpus = 1;
  std::uint32_t workers = 1;  ///< GPUs that train; fewer than gpus beside remote servers.
  std::uint32_t passes = 1;   ///< Mini-batches that a GPU works through in a training step.
  std::uint32_t steps = 1;    ///< Training steps after which the work repeats.
  bool is_bound = false;      ///< What no system can beat, and none.
  Fidelity fidelity = Fidelity::Flow;

  Seconds iteration_time{};        ///< Of a training step: the mean of those of a period.
  Seconds worst_iteration_time{};  ///< Differs only where the steady state is a pattern.
  Seconds likely_low{};            ///< Where the step is likely to be, by the errors of cases
  Seconds likely_high{};           ///< that were checked; 0 and 0: not looked up.
  std::string error_basis{};       ///< Which cases those are.
  SeedSpread spread{};             ///< Where there is chance.
  bool steady = true;
  std::uint32_t iterations_simulated = 0;
  double throughput = 0;          ///< Samples per second, all workers.
  double scaling_efficiency = 0;  ///< time_alone() of its plan / iteration time.

  std::string slowest_ranks{};             ///< Whose breakdown it is: "ranks 0-63".
  Breakdown breakdown{};                   ///< Adds up to iteration_time.
  Seconds fastest_waiting{};               ///< What the fastest ranks wait for slower ones.
  std::vector<NamedTime> communication{};  ///< Busy time by collective, overlapped or not.
  Bytes sent_per_gpu{};
  MemoryUse memory{};
  Bytes device_memory{};                   ///< 0 if unknown.
  std::vector<LinkLoad> links{};           ///< Busiest first.
  std::vector<PathEntry> critical_path{};  ///< In order of time; adds up to the period.
  std::vector<std::string> why{};          ///< Sentences: the bottleneck, then the blockers.
  ProtocolReport protocol{};               ///< Where workers decide at run time.
  std::vector<StageForecast> stages{};     ///< Of a model-parallel schedule.
  StepWithout what_if{};                   ///< See add_what_if().
  double flops_utilisation = 0;     ///< The model's arithmetic over the GPUs' peak; 0: unknown.
  double hardware_utilisation = 0;  ///< The same with what is recomputed.
  Notes notes{};                    ///< Options without effect, caveats.
  Provenance workload_provenance{};
  Provenance cluster_provenance{};
  EngineUse engine{};
};

auto fields_of(Is<Forecast> auto& forecast) {
  auto& [workload, cluster, schedule, layout, options, device, batch, nodes, gpus_per_node, gpus,
         workers, passes, steps, is_bound, fidelity, iteration_time, worst_iteration_time,
         likely_low, likely_high, error_basis, spread, steady, iterations, throughput, efficiency,
         slowest_ranks, breakdown, fastest_waiting, communication, sent_per_gpu, memory,
         device_memory, links, path, why, protocol, stages, what_if, flops_utilisation,
         hardware_utilisation, notes, workload_provenance, cluster_provenance, engine] = forecast;
  return std::tie(workload, cluster, schedule, layout, options, device, batch, nodes, gpus_per_node,
                  gpus, workers, passes, steps, is_bound, fidelity, iteration_time,
                  worst_iteration_time, likely_low, likely_high, error_basis, spread, steady,
                  iterations, throughput, efficiency, slowest_ranks, breakdown, fastest_waiting,
                  communication, sent_per_gpu, memory, device_memory, links, path, why, protocol,
                  stages, what_if, flops_utilisation, hardware_utilisation, notes,
                  workload_provenance, cluster_provenance, engine);
}

/// Reads a forecast off the steady iteration, or off the one that stands for those of all seeds.
/// `options` are those in force. A caller may add notes of its own afterwards.
Forecast make_forecast(const Workload& workload, const Cluster& cluster, const Plan& plan,
                       const ScheduleOptions& options, Fidelity fidelity, const Timeline& timeline,
                       const SeedSpread& spread = {});

/// Speed-up of `forecast` over `baseline`: the ratio of their throughputs.
double speedup_of(const Forecast& forecast, const Forecast& baseline);

}  // namespace stepcast
