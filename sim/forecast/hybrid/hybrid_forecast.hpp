#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/forecast/hybrid/bubble_split.hpp"
#include "traces/readers/stepcast/experiments/experiment_reader.hpp"

namespace stepcast {

/// What a stage of a pipeline does in a step.
struct StageForecast {
  Rank rank = 0;      ///< That stands for the stage's.
  std::string holds;  ///< "embedding .. block 11"
  Seconds time{};     ///< Its passes and its update, messages inside layers included.
  Seconds bubble{};   ///< The rest of the step: messages, other stages, gradients.
  BubbleSplit split;  ///< Adds up to the bubble.
  Bytes memory{};
};

/// A forecast of a job that cuts the model.
struct HybridForecast {
  Forecast forecast;
  std::vector<StageForecast> stages;  ///< By stage.
  double flops_utilisation = 0;       ///< The model's arithmetic over the GPUs' peak; 0: unknown.
  double hardware_utilisation = 0;    ///< The same with what is recomputed.
};

/// What a user asks for, resolved. `workload` is none of one that is cut: its own is in `model`.
struct HybridScenario {
  CutModel model;
  Cluster cluster;
  const PipelineInfo* pipeline = nullptr;
  ScheduleOptions options;
  EngineOptions engine;
  Chance chance{};
  std::function<void(const Plan&)> planned{};  ///< Called before the simulation; may be empty.
};

/// Of settings, where another batch than the workload's is that of a pass. Throws InputError for
/// those that mean nothing where the model is cut.
ScheduleOptions hybrid_options_of(const Settings& settings);

/// Whether the experiment's only schedule cuts the model.
bool is_hybrid(const Experiment& experiment);

/// Reads what the experiment names. Throws InputError, also for settings that mean nothing here.
HybridScenario hybrid_scenario_of(const Experiment& experiment, bool fold);

/// Plan, simulation and report, and the two former for those who write them to files.
struct HybridResult {
  HybridForecast hybrid;
  Plan plan;
  Timeline timeline;
  Workload passes;  ///< The model with what the plan's tasks are of in place of its layers.
  std::vector<PlannedPass> planned_passes{};  ///< In order of their tasks.
};
HybridResult hybrid_result_of(const HybridScenario& scenario);

}  // namespace stepcast
