#include "sim/study/diagnose/job_at_ranks.hpp"

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/study/diagnose/diagnosis.hpp"
#include "sim/study/diagnose/job_workload.hpp"
#include "sim/study/diagnose/pass_variation.hpp"
#include "sim/study/diagnose/recorded_slow_downs.hpp"
#include "sim/study/hybrid/hybrid_forecast.hpp"
#include "sim/study/scenario.hpp"

namespace stepcast {
namespace {

/// One way to forecast the job; ranks are alike without slow-downs.
class OtherForecast {
 public:
  OtherForecast(const Job& job, OtherSize& size) : workload_(workload_of(job, size.ideal)) {
    if (size.schedule.empty() && workload_.pipeline)
      size.schedule = workload_.pipeline->schedule;
    if (workload_.pipeline)
      make_pipeline(size);
    else
      make_whole(size);
  }

  const Workload& workload() const { return workload_; }
  void slow(SlowDown::Recorded recorded) {
    (workload_.pipeline ? pipeline_.engine : whole_.engine)
        .slow_down.laws.emplace_back(std::move(recorded));
  }

  Forecast forecast(JobAtRanks& result) const {
    if (!workload_.pipeline)
      return plain_forecast_of(whole_, result.size.schedule);
    HybridForecast of = hybrid_result_of(pipeline_).hybrid;
    result.layout = of.layout;
    return std::move(of.forecast);
  }

 private:
  void make_whole(const OtherSize& size) {
    whole_ = {.original_workload = workload_,
              .original_cluster = size.cluster,
              .schedules = {size.schedule}};
    whole_.engine.fidelity = size.fidelity;
    whole_.chance.workers = size.workers;
    whole_ = changed(std::move(whole_), {});
  }

  void make_pipeline(const OtherSize& size) {
    pipeline_ = {.model = {.workload = workload_},
                 .cluster = size.cluster,
                 .pipeline = find_pipeline(size.schedule)};
    if (pipeline_.pipeline == nullptr)
      refuse_whole_schedule(workload_, size.schedule);
    pipeline_.engine.fidelity = size.fidelity;
    pipeline_.engine.slow_down.ranks_per_node = size.cluster.gpus_per_node;
    pipeline_.chance.workers = size.workers;
  }

  Workload workload_;
  Scenario whole_;
  HybridScenario pipeline_;
};

/// Where passes of a rank differ within a step, which slow-downs of whole steps do not hold.
void note_variation(const Job& job, JobAtRanks& result) {
  constexpr double kLittle = 0.02;
  const double even = pass_variation(JobReplay(job)).step;
  if (even > 0 && even < (1 - kLittle) * result.recorded_step.value)
    result.basis.push_back(fmt::format(
        "micro-batches differ: with each pass as long as its rank's mean, which is what forecasts "
        "have, the recorded steps take {}",
        format_seconds(Seconds{even})));
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
  OtherForecast other(job, result.size);
  if (other.workload().pipeline)
    result.basis = other.workload().provenance.notes;
  if (other.workload().pipeline && !size.ideal)
    note_variation(job, result);
  Forecast forecast = other.forecast(result);
  result.even_step = forecast.iteration_time;
  if (!size.ideal) {
    other.slow(slow_downs_of(job));
    forecast = other.forecast(result);
  }
  result.step = forecast.iteration_time;
  result.spread = forecast.spread;
  result.notes = std::move(forecast.notes);
  std::erase_if(result.notes,
                [](const Note& note) { return note.subject == "recorded"; });  // basis
  return result;
}

}  // namespace stepcast
