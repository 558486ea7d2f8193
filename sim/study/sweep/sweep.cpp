#include "sim/study/sweep/sweep.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/base/archive.hpp"
#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast_text.hpp"
#include "sim/study/sweep/inputs_key.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

Forecast forecast_in(const Sweep& sweep, const Combination& combination) {
  const Scenario scenario = scenario_of(sweep, combination);
  return sweep.has_lists ? plain_forecast_of(scenario, combination.schedule)
                         : forecast_of(scenario, combination.schedule);
}

std::string forecast_bytes(const Sweep& sweep, const Combination& combination) {
  return bytes_of(forecast_in(sweep, combination));
}

SweepResult result_in_sweep(const JobOutcome& outcome) {
  if (outcome.done())
    return {.forecast = from_bytes<Forecast>(outcome.text)};
  return {.refusal = outcome.text, .died = outcome.ending == JobOutcome::Ending::Died};
}

/// An error names the combination where there are several.
JobOutcome named(JobOutcome outcome, const Sweep& sweep, std::uint32_t number) {
  if (!outcome.text.empty() && !outcome.done() && sweep.has_lists)
    outcome.text = fmt::format("{}: {}", name_of(sweep.combinations[number]), outcome.text);
  return outcome;
}

std::vector<std::uint32_t> unknown_of(const Sweep& sweep, const SweepRules& rules) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < sweep.combinations.size(); ++i)
    if (!rules.known.contains(i))
      numbers.push_back(i);
  return numbers;
}

}  // namespace

std::string name_of(const Combination& combination) {
  std::vector<std::string> parts;
  for (const Cell& cell : combination.cells)
    parts.push_back(cell.name + "=" + cell.value);
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

/// But for what changed() makes anew: a workload is hundreds of layers with names.
Scenario copy_to_change(const Scenario& base, const std::string& schedule) {
  return {.original_workload = base.original_workload,
          .original_cluster = base.original_cluster,
          .workload = {},
          .cluster = {},
          .schedules = {schedule},
          .settings = {},
          .engine = base.engine,
          .chance = base.chance,
          .slow = base.slow};
}

}  // namespace

Scenario scenario_of(const Sweep& sweep, const Combination& combination) {
  const Scenario& base = sweep.scenarios[combination.scenario];
  Settings settings = overlaid(base.settings, combination.settings);
  settings.schedule = options_in(settings, combination.schedule);
  return changed(copy_to_change(base, combination.schedule), std::move(settings));
}

std::vector<Found<std::string>> find_bytes(
    const Sweep& sweep, const StudyRules& rules,
    const std::function<std::string(std::uint32_t combination)>& work) {
  const StopsBetweenJobs stops;
  if (stop_signal() != 0)
    throw Stopped(stop_signal());
  const auto count = static_cast<std::uint32_t>(sweep.combinations.size());
  const auto tell = [&](std::uint32_t, const JobOutcome&) { rules.finished(); };
  auto outcomes = outcomes_on_workers(count, {.workers = rules.workers, .finished = tell}, work);
  std::set<std::uint32_t> cut_short;  // jobs, by their baselines
  for (std::uint32_t i = 0; i < count && stop_signal() != 0; ++i)
    if (!outcomes[i].done())
      cut_short.insert(sweep.combinations[i].baseline);
  std::vector<Found<std::string>> found;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!cut_short.contains(sweep.combinations[i].baseline))
      found.push_back({i, result_of(named(std::move(outcomes[i]), sweep, i))});
  if (found.empty() && !cut_short.empty())
    throw Stopped(stop_signal());
  return found;
}

namespace {

/// Runs those of the sweep that are not known; `take` gets each outcome as they end. Throws what
/// the first refused one threw, unless such are kept.
void run_unknown(const Sweep& sweep, const SweepRules& rules,
                 const std::function<std::string(std::uint32_t combination)>& work,
                 const std::function<void(std::uint32_t combination, JobOutcome&)>& take) {
  const std::vector<std::uint32_t> numbers = unknown_of(sweep, rules);
  const auto outcomes = outcomes_on_workers(
      static_cast<std::uint32_t>(numbers.size()),
      {.workers = rules.workers,
       .keep_going = rules.keep_going,
       .finished = [&](std::uint32_t job, JobOutcome& outcome) { take(numbers[job], outcome); }},
      [&](std::uint32_t job) { return work(numbers[job]); });
  for (std::uint32_t job = 0; job < outcomes.size() && !rules.keep_going; ++job)
    if (outcomes[job].ending != JobOutcome::Ending::Missing &&
        outcomes[job].ending != JobOutcome::Ending::Died)
      result_of(named(outcomes[job], sweep, numbers[job]));
}

}  // namespace

std::vector<SweepResult> sweep_results(const Sweep& sweep, const SweepRules& rules) {
  std::vector<SweepResult> results(sweep.combinations.size());
  for (const auto& [number, forecast] : rules.known)
    results[number].forecast = forecast;
  run_unknown(
      sweep, rules,
      [&](std::uint32_t number) { return forecast_bytes(sweep, sweep.combinations[number]); },
      [&](std::uint32_t number, JobOutcome& outcome) {
        results[number] = result_in_sweep(outcome);
        if (rules.finished && (rules.keep_going || outcome.done()))
          rules.finished(number, results[number]);
        if (outcome.done())
          outcome.text = {};  // the forecast is in the results
      });
  return results;
}

std::vector<SweepText> sweep_texts(
    const Sweep& sweep, const SweepRules& rules,
    const std::function<std::string(std::uint32_t combination, const Forecast&)>& text) {
  std::vector<SweepText> results(sweep.combinations.size());
  run_unknown(
      sweep, rules,
      [&](std::uint32_t number) {
        return text(number, forecast_in(sweep, sweep.combinations[number]));
      },
      [&](std::uint32_t number, JobOutcome& outcome) {
        SweepText& result = results[number];
        result.died = outcome.ending == JobOutcome::Ending::Died;
        if (outcome.done())
          result.text = std::move(outcome.text);
        else
          result.refusal = outcome.text;
        if (rules.progress)
          rules.progress();
      });
  return results;
}

std::string SweepKeys::key_of(const Combination& combination) {
  const Scenario scenario = scenario_of(sweep_, combination);
  const ScheduledJob job = job_of(scenario, combination.schedule);
  const bool partitions = schedule_of(combination.schedule).partitions_model();
  if (!job_ || job_ != std::pair{combination.baseline, partitions}) {
    head_ = {};
    head_.add(head_of_inputs(job));
    job_ = {combination.baseline, partitions};
  }
  TextKey key = head_;
  const char* notes = sweep_.has_lists ? "of a row" : "of one job";
  key.add(
      fmt::format("{}{}\n{}\n{}\n", rest_of_inputs(job), sweep_.chance, notes, forecast_layout()));
  return key.text();
}

std::string key_of(const Sweep& sweep, const Combination& combination) {
  return SweepKeys(sweep).key_of(combination);
}

std::vector<SweepRow> rows_of(const Sweep& sweep, const std::vector<SweepResult>& results) {
  std::vector<SweepRow> rows;
  std::map<std::uint32_t, std::size_t> first_of_job;  // by the number of its baseline
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].forecast) {
      const std::uint32_t baseline = sweep.combinations[i].baseline;
      rows.push_back({.cells = sweep.combinations[i].cells,
                      .forecast = *results[i].forecast,
                      .baseline = first_of_job.try_emplace(baseline, rows.size()).first->second});
    }
  return rows;
}

}  // namespace stepcast
