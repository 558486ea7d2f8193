#include "sim/jobs/diagnose/job_at_ranks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/text.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/diagnose/job_workload.hpp"
#include "sim/jobs/diagnose/pass_variation.hpp"
#include "sim/jobs/diagnose/pipelines/recorded_cluster.hpp"
#include "sim/jobs/diagnose/recorded_slow_downs.hpp"

namespace stepcast {
namespace {

/// Messages of all copies of a pipeline are simulated one by one: of more copies fewer steps are.
std::uint32_t seeds_for(std::uint32_t ranks) {
  constexpr std::uint32_t kRanks = 128;  // Up to which a hundred seeds take seconds.
  constexpr std::uint32_t kFewest = 8;   // Of 20 steps each.
  return std::clamp(Chance::kSeeds * kRanks / ranks, kFewest, Chance::kSeeds);
}

/// One way to forecast the job; ranks are alike without slow-downs.
class OtherForecast {
 public:
  OtherForecast(const Workload& workload, OtherSize& size) {
    if (size.schedule.empty() && workload.pipeline)
      size.schedule = workload.pipeline->schedule;
    check_schedule(workload, size.schedule);
    scenario_ = {.original_workload = workload,
                 .original_cluster = size.cluster,
                 .schedules = {size.schedule}};
    scenario_.engine.fidelity = size.fidelity;
    scenario_.chance.workers = size.workers;
    if (workload.pipeline)
      scenario_.chance.seeds = seeds_for(size.cluster.ranks());
    scenario_ = changed(std::move(scenario_), {});
  }

  void slow(SlowDown::Recorded recorded) {
    scenario_.engine.slow_down.laws.emplace_back(std::move(recorded));
  }

  Forecast forecast() const { return plain_forecast_of(scenario_, scenario_.schedules.front()); }

 private:
  Scenario scenario_;
};

/// Where passes of a rank differ within a step, which slow-downs of whole steps do not hold.
void note_variation(const Job& job, Seconds undelayed, JobAtRanks& result) {
  constexpr double kLittle = 0.02;
  const double even = pass_variation(JobReplay(job)).step;
  if (even > 0 && even < (1 - kLittle) * undelayed.value)
    result.basis.push_back(fmt::format(
        "micro-batches differ: with each pass as long as its rank's mean, which is what forecasts "
        "have, the recorded steps take {} instead of {}, both without delays of the host",
        format_seconds(Seconds{even}), format_seconds(undelayed)));
}

/// Where the forecast misses the recorded step, on the network of recorded_on, or else where as
/// many ranks are asked for. Above all uneven delays of the host do that, which no slow-downs hold.
std::string doubt_of_own_size(const Job& job, const Workload& workload, const JobAtRanks& result) {
  constexpr double kDoubtful = 0.05;
  OtherSize own = result.size;
  own.schedule = workload.pipeline->schedule;
  if (!job.shape.recorded_on.empty())
    own.cluster = recorded_cluster(job);
  if (own.cluster.ranks() != job.gpus)
    return "";
  OtherForecast forecast(workload, own);
  forecast.slow(slow_downs_of(job));
  const double step = forecast.forecast().iteration_time.value;
  const double change = step / result.recorded_step.value - 1;
  if (std::abs(change) <= kDoubtful)
    return "";
  return fmt::format(
      "at the job's own size, on {} GPUs of {}, the forecast with ranks as uneven as recorded is "
      "{}, {:.1f} % {} than recorded, so others are doubtful, too (from 5 % on)",
      own.cluster.ranks(), own.cluster.name, format_seconds(Seconds{step}), 100 * std::abs(change),
      change < 0 ? "less" : "more");
}

void add_doubt(std::string more, std::string& doubt) {
  doubt += doubt.empty() || more.empty() ? "" : "; ";
  doubt += more;
}

}  // namespace

JobAtRanks job_at_ranks(const Job& job, const OtherSize& size) {
  const Diagnosis diagnosis = diagnose(job);
  JobAtRanks result{.job = job.name,
                    .recorded_gpus = job.gpus,
                    .recorded_step = diagnosis.recorded_step,
                    .step_error = diagnosis.step_error,
                    .doubt = fmt::format("{}", fmt::join(diagnosis.doubts, "; ")),
                    .size = size};
  const Workload workload = workload_of(job, size.ideal);
  OtherForecast other(workload, result.size);
  if (workload.pipeline)
    result.basis = workload.provenance.notes;
  if (workload.pipeline && !size.ideal) {
    note_variation(job, diagnosis.undelayed_step, result);
    add_doubt(doubt_of_own_size(job, workload, result), result.doubt);
  }
  Forecast forecast = other.forecast();
  result.even_step = forecast.iteration_time;
  if (!size.ideal) {
    other.slow(slow_downs_of(job));
    forecast = other.forecast();
  }
  result.step = forecast.iteration_time;
  result.spread = forecast.spread;
  result.layout = forecast.layout;
  result.notes = std::move(forecast.notes);
  std::erase_if(result.notes,
                [](const Note& note) { return note.subject == "recorded"; });  // basis
  return result;
}

}  // namespace stepcast
