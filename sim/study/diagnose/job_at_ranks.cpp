#include "sim/study/diagnose/job_at_ranks.hpp"

#include "sim/study/diagnose/diagnosis.hpp"
#include "sim/study/diagnose/job_workload.hpp"
#include "sim/study/diagnose/recorded_slow_downs.hpp"
#include "sim/study/scenario.hpp"

namespace stepcast {
namespace {

Scenario scenario_on(const Job& job, const OtherSize& size) {
  Scenario scenario{.original_workload = workload_of(job, size.ideal),
                    .original_cluster = size.cluster,
                    .schedules = {size.schedule}};
  scenario.engine.fidelity = size.fidelity;
  scenario.chance.workers = size.workers;
  return changed(std::move(scenario), {});
}

}  // namespace

JobAtRanks job_at_ranks(const Job& job, const OtherSize& size) {
  const Diagnosis diagnosis = diagnose(job);
  JobAtRanks result{.job = job.name,
                    .recorded_gpus = job.gpus,
                    .recorded_step = diagnosis.recorded_step,
                    .step_error = diagnosis.step_error,
                    .doubt = diagnosis.doubt,
                    .size = size};
  Scenario scenario = scenario_on(job, size);
  Forecast forecast = plain_forecast_of(scenario, size.schedule);
  result.even_step = forecast.iteration_time;
  if (!size.ideal) {
    scenario.engine.slow_down.laws.emplace_back(slow_downs_of(job));
    forecast = plain_forecast_of(scenario, size.schedule);
  }
  result.step = forecast.iteration_time;
  result.spread = forecast.spread;
  result.notes = std::move(forecast.notes);
  return result;
}

}  // namespace stepcast
