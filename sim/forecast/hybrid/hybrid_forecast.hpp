#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/chance/seeds.hpp"
#include "sim/forecast/schedule_run.hpp"
#include "traces/settings.hpp"

namespace stepcast {

struct Scenario;

/// What a user asks for, resolved. `workload` is none of one that is cut: its own is in `model`.
struct HybridScenario {
  CutModel model;
  Cluster cluster;
  const ScheduleInfo* pipeline = nullptr;
  ScheduleOptions options;
  EngineOptions engine;
  Chance chance{};
  std::function<void(const Plan&)> planned{};  ///< Called before the simulation; may be empty.
};

/// Returns the settings as options of a model-parallel schedule, whose micro-batch is the batch
/// that is set. Throws InputError for settings that have no meaning there.
ScheduleOptions hybrid_options_of(const Settings& settings);

/// A model-parallel schedule of the scenario. Throws InputError for settings that mean nothing
/// where the model is cut. Precondition: the schedule partitions the model.
HybridScenario hybrid_scenario_of(const Scenario& scenario, const std::string& schedule);

/// Plan, simulation and report.
ScheduleRun hybrid_result_of(const HybridScenario& scenario);

}  // namespace stepcast
