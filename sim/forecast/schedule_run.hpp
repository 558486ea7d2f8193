#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/schedule/model_parallel/hybrid_step.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// One schedule of a scenario, with all that a report may show of it.
struct ScheduleRun {
  Plan plan;
  Timeline timeline;
  Forecast forecast;               ///< Without the notes of add_notes().
  std::optional<Workload> passes;  ///< Of a cut model: what tasks are of, in place of its layers.
  EngineOptions engine{};          ///< Of the simulation: slow-downs are those of the plan's ranks.
  std::vector<PlannedPass> planned_passes{};  ///< Of a cut model, in order of their tasks.
  /// Simulates an asynchronous schedule once more and returns what some of its workers did, as a
  /// trace in Chrome's format: plan and timeline are those of one worker by itself. Else empty.
  std::function<std::string()> workers_trace{};
};

}  // namespace stepcast
