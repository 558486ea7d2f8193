#include "sim/forecast/hybrid/hybrid_forecast.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/pass_layers.hpp"
#include "sim/forecast/chance/seeded_run.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/hybrid/fit_advice.hpp"
#include "sim/forecast/hybrid/planned_pipeline.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"
#include "sim/timeline/window.hpp"

namespace stepcast {
namespace {

/// Of a pass: the name says its batch.
Workload workload_of(const Workload& model, std::uint32_t micro_batch) {
  return model.transformer && model.batch != micro_batch
             ? transformer_workload(*model.transformer, model.device, micro_batch)
             : model;
}

void add_stages(Forecast& forecast, const HybridPlan& planned, const Timeline& timeline) {
  std::vector<Rank> ranks;
  for (const PlannedStage& stage : planned.stages)
    ranks.push_back(stage.rank);
  const std::vector<std::vector<TaskId>> tasks = compute_tasks_of(planned.plan, ranks);
  const Breakdowns breakdowns(planned.plan);
  for (std::size_t i = 0; i < planned.stages.size(); ++i) {
    const PlannedStage& stage = planned.stages[i];
    const ClassId of_stage = timeline.class_of_rank[stage.rank];
    const Breakdown parts =
        breakdowns.of(compute_window_of(planned.plan, timeline, of_stage, tasks[i]));
    const Seconds time =
        compute_of(parts) + total_of(parts.exposed_communication);  // only messages in layers
    forecast.stages.push_back({.rank = stage.rank,
                               .holds = stage.holds,
                               .time = time,
                               .bubble = timeline.iteration_time - time,
                               .memory = stage.memory.total()});
  }
}

/// Only where ranks or links are slow is there another step, without, to compare with.
void add_splits(Forecast& forecast, const Plan& plan, const Timeline& timeline,
                const ScheduledJob& job) {
  std::vector<Rank> ranks;
  for (const StageForecast& stage : forecast.stages)
    ranks.push_back(stage.rank);
  std::vector<BubbleSplit> splits = split_bubbles(plan, timeline, ranks);
  if (!job.engine.stragglers.empty() || !job.engine.slow_down.empty()) {
    const EngineOptions even{.fidelity = job.engine.fidelity, .fold = job.engine.fold};
    const Timeline without = simulate(plan, job.cluster, even);
    const std::vector<BubbleSplit> usual = split_bubbles(plan, without, ranks);
    for (std::size_t i = 0; i < splits.size(); ++i)
      splits[i] = with_stragglers(splits[i], usual[i]);
  }
  for (std::size_t i = 0; i < splits.size(); ++i)
    forecast.stages[i].split = scaled_to(splits[i], forecast.stages[i].bubble);
}

/// What of the slowest stage's bubble is there only because of slow-downs is waiting for slower
/// ranks, and the longest such wait is that of the fastest. Precondition: the bubbles are split.
void tell_stragglers(Forecast& forecast, const HybridPlan& planned, const Timeline& timeline) {
  const ClassId slowest = extremes_of(planned.plan, timeline).slowest;
  Seconds& bubble = forecast.breakdown.bubble;
  for (const StageForecast& stage : forecast.stages)
    forecast.fastest_waiting = std::max(forecast.fastest_waiting, stage.split.stragglers);
  for (const StageForecast& stage : forecast.stages)
    if (timeline.class_of_rank[stage.rank] == slowest) {
      const Seconds waiting = std::min(bubble, stage.split.stragglers);
      forecast.breakdown.waiting += waiting;
      bubble = bubble - waiting;
      return;
    }
}

void note_memory(Forecast& forecast, const ScheduledJob& job, const HybridJob& planned) {
  if (forecast.device_memory > Bytes{} && forecast.memory.total() > forecast.device_memory)
    forecast.notes.push_back({NoteKind::Memory, "memory", fit_advice(job, planned)});
}

}  // namespace

ScheduleRun hybrid_result_of(const ScheduledJob& job,
                             const std::function<void(const Plan&)>& planned) {
  HybridRun run = planned_pipeline(job);
  if (planned)
    planned(run.hybrid.plan);
  EngineOptions engine = engine_of(job, run.job);
  auto [timeline, spread] = simulate_seeds(run.hybrid.plan, job.cluster, engine, job.chance);
  Forecast forecast =
      make_forecast(workload_of(job.workload, run.job.micro_batch), job.cluster, run.hybrid.plan,
                    run.options, job.engine.fidelity, timeline, spread);
  forecast.batch = run.job.micro_batch;
  const double gpus = forecast.gpus * forecast.iteration_time.value;
  forecast.scaling_efficiency = run.hybrid.alone.value / gpus;
  if (run.hybrid.peak > FlopsPerSecond{}) {
    forecast.flops_utilisation = run.hybrid.model_flops / (run.hybrid.peak.value * gpus);
    forecast.hardware_utilisation = run.hybrid.hardware_flops / (run.hybrid.peak.value * gpus);
  }
  forecast.layout = run.hybrid.layout;
  add_stages(forecast, run.hybrid, timeline);
  add_splits(forecast, run.hybrid.plan, timeline, job);
  tell_stragglers(forecast, run.hybrid, timeline);
  note_memory(forecast, job, run.job);
  const Notes doubts = notes_on_micro_batch(job.workload, run.job.micro_batch);
  forecast.notes.insert(forecast.notes.begin(), doubts.begin(), doubts.end());
  return {.plan = std::move(run.hybrid.plan),
          .timeline = std::move(timeline),
          .forecast = std::move(forecast),
          .passes = PassLayers::workload(run.job, job.workload),
          .engine = std::move(engine),
          .planned_passes = std::move(run.hybrid.passes)};
}

}  // namespace stepcast
