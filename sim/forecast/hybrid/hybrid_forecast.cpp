#include "sim/forecast/hybrid/hybrid_forecast.hpp"

#include <algorithm>

#include "models/schedule/model_parallel/pass_layers.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/hybrid/fit_advice.hpp"
#include "sim/timeline/window.hpp"

namespace stepcast {
namespace {

void add_stages(Forecast& forecast, const std::vector<PlannedStage>& stages, const Plan& plan,
                const Timeline& timeline) {
  std::vector<Rank> ranks;
  for (const PlannedStage& stage : stages)
    ranks.push_back(stage.rank);
  const std::vector<std::vector<TaskId>> tasks = compute_tasks_of(plan, ranks);
  const Breakdowns breakdowns(plan);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const PlannedStage& stage = stages[i];
    const ClassId of_stage = timeline.class_of_rank[stage.rank];
    const Breakdown parts = breakdowns.of(compute_window_of(plan, timeline, of_stage, tasks[i]));
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
void tell_stragglers(Forecast& forecast, const Plan& plan, const Timeline& timeline) {
  const ClassId slowest = extremes_of(plan, timeline).slowest;
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

}  // namespace

Workload workload_of_passes(const Workload& model, std::uint32_t micro_batch) {
  return model.transformer && model.batch != micro_batch
             ? transformer_workload(*model.transformer, model.device, micro_batch)
             : model;
}

void add_pipeline(ScheduleRun& run, const ScheduledJob& job, const HybridRun& pipeline) {
  Forecast& forecast = run.forecast;
  const HybridPlan& planned = pipeline.hybrid;
  forecast.batch = pipeline.job.micro_batch;
  const double gpus = forecast.gpus * forecast.iteration_time.value;
  forecast.scaling_efficiency = planned.alone.value / gpus;
  if (planned.peak > FlopsPerSecond{}) {
    forecast.flops_utilisation = planned.model_flops / (planned.peak.value * gpus);
    forecast.hardware_utilisation = planned.hardware_flops / (planned.peak.value * gpus);
  }
  forecast.layout = planned.layout;
  add_stages(forecast, planned.stages, run.plan, run.timeline);
  add_splits(forecast, run.plan, run.timeline, job);
  tell_stragglers(forecast, run.plan, run.timeline);
  if (forecast.device_memory > Bytes{} && forecast.memory.total() > forecast.device_memory)
    forecast.notes.push_back({NoteKind::Memory, "memory", fit_advice(job, pipeline.job)});
  const Notes doubts = notes_on_micro_batch(job.workload, pipeline.job.micro_batch);
  forecast.notes.insert(forecast.notes.begin(), doubts.begin(), doubts.end());
  run.passes = PassLayers::workload(pipeline.job, job.workload);
  run.planned_passes = planned.passes;
}

}  // namespace stepcast
