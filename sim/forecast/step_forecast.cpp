#include "sim/forecast/step_forecast.hpp"

#include <utility>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/effects.hpp"

namespace stepcast {
namespace {

StepForecast mean_step(const Scenario& scenario, const std::string& schedule) {
  Forecast forecast = plain_forecast_of(scenario, schedule);
  return {.time = forecast.iteration_time,
          .likely = likely_step_of(forecast),
          .notes = std::move(forecast.notes),
          .samples = forecast.throughput * forecast.iteration_time.value};
}

}  // namespace

StepForecast step_forecast(const Scenario& scenario, const std::string& schedule,
                           const std::function<void(const Plan&)>& planned) {
  if (schedule_of(schedule).asynchronous || scenario.engine.slow_down.is_chance())
    return mean_step(scenario, schedule);
  const ScheduledJob job = job_of(scenario, schedule);
  const PlannedRun run = stepcast::planned(job);
  if (planned)
    planned(run.plan);
  const Seconds time = step_time_of(run.plan, scenario.cluster, run.engine);
  return {.time = time,
          .likely = likely_step(shipped_range(schedule, scenario.workload.device, scenario.cluster,
                                              experts_in(scenario.workload)),
                                time),
          .notes = notes_before_simulation(scenario, job, run),
          .samples = run.plan.summary.samples};
}

}  // namespace stepcast
