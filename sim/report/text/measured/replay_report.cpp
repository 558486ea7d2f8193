#include "sim/report/text/measured/replay_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/replay/recorded_delays.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSteps = 12;  // Shown as a table; JSON has them all.

constexpr double kDoubted = 0.05;     // Share of a step that a replay may miss its recording by.
constexpr double kRefused = 0.1;      // The same.
constexpr double kMostDelayed = 0.1;  // Share of a step that unexplained delays may take.

bool counts(const ReplayedStep& step) {
  return step.whole && !step.stalled;
}

template <class TimeOf>
Seconds mean_of(const ReplayedTrace& result, TimeOf time_of) {
  const bool any = std::ranges::any_of(result.steps, counts);
  Seconds sum{};
  double count = 0;
  for (const ReplayedStep& step : result.steps)
    if (counts(step) || !any) {
      sum += time_of(step);
      ++count;
    }
  return sum / count;
}

Seconds mean_recorded(const ReplayedTrace& result) {
  return mean_of(result, [](const ReplayedStep& step) { return step.recorded; });
}

Seconds mean_simulated(const ReplayedTrace& result) {
  return mean_of(result, [](const ReplayedStep& step) { return step.simulated; });
}

std::string percent(Seconds of, Seconds base) {
  const double change = std::round(1000 * (of / base - 1)) / 10;
  return fmt::format("{:+.1f} %", change == 0 ? 0.0 : change);  // Not "-0.0".
}

std::vector<std::string> row_of(const ReplayedStep& step) {
  if (!step.whole)
    return {step.name, "not whole", format_seconds(step.simulated), ""};
  return {step.name, format_seconds(step.recorded), format_seconds(step.simulated),
          percent(step.simulated, step.recorded)};
}

ReplayedStep mean_step(const ReplayedTrace& result) {
  return {.name = "mean", .recorded = mean_recorded(result), .simulated = mean_simulated(result)};
}

/// To a picosecond: below that lie the rounding errors of sums.
double rounded(double value) {
  constexpr double kDigits = 1e12;
  return std::round(value * kDigits) / kDigits;
}

ordered_json step_json(const ReplayedStep& step) {
  if (!step.whole)
    return {{"name", step.name}, {"whole", false}, {"simulated_s", rounded(step.simulated.value)}};
  ordered_json json{{"name", step.name},
                    {"recorded_s", rounded(step.recorded.value)},
                    {"simulated_s", rounded(step.simulated.value)},
                    {"error", rounded(step.simulated / step.recorded - 1) + 0.0}};
  if (step.stalled)
    json["stalled"] = true;
  return json;
}

ordered_json mean_json(const ReplayedTrace& result) {
  ordered_json json = step_json(mean_step(result));
  if (!result.change.empty())
    json["changed_s"] = rounded(result.changed.value);
  return json;
}

/// The largest cycle. Computation and collectives that wait for each other are one.
std::string bound_by(const ReplayedTrace& result) {
  constexpr double kBound = 0.9;
  constexpr double kNoticed = 0.01;
  const Cycles& cycles = result.cycles;
  const Seconds step = result.change.empty() ? mean_simulated(result) : result.changed;
  if (std::max(cycles.host, cycles.device) < step * kBound)
    return fmt::format(
        "Bound by host and device in turn: {} a step for the host alone, {} for the "
        "device.",
        format_seconds(cycles.host), format_seconds(cycles.device));
  if (cycles.host >= cycles.device)
    return fmt::format(
        "Bound by the host: {} a step for it alone; --host-speed shows what lies "
        "behind ({}).",
        format_seconds(cycles.host), format_seconds(cycles.device));
  const bool collectives = cycles.device - cycles.computation > cycles.device * kNoticed;
  return fmt::format(
      "Bound by the device: {} a step for {}; {} for the host alone.",
      format_seconds(cycles.device),
      collectives ? fmt::format("computation and collectives that wait for each other, {} of it "
                                "computation",
                                format_seconds(cycles.computation))
                  : "its streams",
      format_seconds(cycles.host));
}

double error_of(const ReplayedTrace& result) {
  return mean_simulated(result) / mean_recorded(result) - 1;
}

/// What the first lines of the report say.
std::vector<std::string> doubts_on(const ReplayedTrace& result) {
  std::vector<std::string> doubts;
  if (std::abs(error_of(result)) > kDoubted)
    doubts.push_back(fmt::format("the replay takes {} for a recorded step of {} ({})",
                                 format_seconds(mean_simulated(result)),
                                 format_seconds(mean_recorded(result)),
                                 percent(mean_simulated(result), mean_recorded(result))));
  if (result.start_deviation > mean_recorded(result) * kDoubted)
    doubts.push_back(fmt::format("device work starts {} (median) from when it was recorded to",
                                 format_seconds(result.start_deviation)));
  if (result.delays > mean_recorded(result) * kMostDelayed)
    doubts.push_back(
        fmt::format("{} of the step of {} are delays of device work that nothing "
                    "recorded explains: they stay as they are whatever changes",
                    format_seconds(result.delays), format_seconds(mean_recorded(result))));
  return doubts;
}

/// On its way from the host, in the shadow of what the device still does.
bool is_on_its_way(const RecordedStep& step, const RecordedTask& delay) {
  return step.streams[delay.stream].starts_with(kLaunchesTo);
}

}  // namespace

ReplayedTrace replay_result(std::string origin, const std::vector<RecordedStep>& steps) {
  ReplayedTrace result{.origin = std::move(origin)};
  const auto is_usual = [](const RecordedStep& step) { return step.whole && !step.stalled; };
  const auto usual = static_cast<std::size_t>(std::ranges::count_if(steps, is_usual));
  const auto count = static_cast<double>(usual > 0 ? usual : steps.size());
  for (const RecordedStep& step : steps) {
    if (usual > 0 && !is_usual(step))
      continue;
    for (const RecordedTask& task : step.tasks) {
      if (task.kind == RecordedKind::Collective)
        result.collectives += task.duration / count;
      else if (task.kind == RecordedKind::Delay)
        result.delays += is_on_its_way(step, task) ? Seconds{} : task.duration / count;
      else if (task.kind != RecordedKind::Host)
        result.device += task.duration / count;
      else
        (task.stream == 0 ? result.host : result.other_threads) += task.duration / count;
    }
  }
  return result;
}

void refuse_missed_recording(const ReplayedTrace& result) {
  const Seconds step = mean_recorded(result);
  if (std::abs(error_of(result)) > kRefused)
    throw InputError(fmt::format(
        "{}: the replay takes {} for a recorded step of {} ({}): more than {:.0f} % off, so that "
        "nothing can be said of changes",
        result.origin, format_seconds(mean_simulated(result)), format_seconds(step),
        percent(mean_simulated(result), step), 100 * kRefused));
  if (result.start_deviation > step * kRefused)
    throw InputError(fmt::format(
        "{}: replayed device work starts {} (median) from when it was recorded to, more than "
        "{:.0f} % of the step of {}, so that nothing can be said of changes",
        result.origin, format_seconds(result.start_deviation), 100 * kRefused,
        format_seconds(step)));
}

std::string render_replay(const ReplayedTrace& result) {
  Table table{.columns = {{"step", Align::Left}, {"recorded"}, {"simulated"}, {"error"}}};
  for (std::size_t i = 0; i < result.steps.size() && i < kMostSteps; ++i)
    table.rows.push_back(row_of(result.steps[i]));
  table.rows.push_back(row_of(mean_step(result)));
  std::string text = doubtful(doubts_on(result)) + render(table);
  const RecordedPace pace = pace_in(result.steps, &ReplayedStep::recorded);
  if (result.steps.size() > kMostSteps)
    text += fmt::format("The mean is of {} {} steps; --json shows them all.\n",
                        pace.stalled_steps > 0 ? "the usual ones of" : "all", result.steps.size());
  if (pace.stalled_steps > 0)
    text += wrap(describe(pace), 0);
  text += wrap(
      fmt::format("Taken as recorded, a step: {} of the training thread and {} of the threads it "
                  "calls, between launches and waits; {} of kernels and copies; {} of collectives; "
                  "{} of delays "
                  "that no dependency explains. Simulated: when each of them runs, and every wait. "
                  "Work on the device starts "
                  "within {} (median) of when it was recorded to.",
                  format_seconds(result.host), format_seconds(result.other_threads),
                  format_seconds(result.device), format_seconds(result.collectives),
                  format_seconds(result.delays), format_seconds(result.start_deviation)),
      0);
  if (!result.change.empty())
    text += wrap(
        fmt::format("With {}: {} a step, {} against the simulated {}.", result.change,
                    format_seconds(result.changed), percent(result.changed, mean_simulated(result)),
                    format_seconds(mean_simulated(result))),
        0);
  text += wrap(bound_by(result), 0);
  for (const Note& note : result.notes)
    text += wrap("Note: " + note.text, 2);
  return text;
}

std::string replay_json(const ReplayedTrace& result) {
  ordered_json json{{"trace", result.origin}, {"change", result.change}};
  json["steps"] = ordered_json::array();
  for (const ReplayedStep& step : result.steps)
    json["steps"].push_back(step_json(step));
  json["mean"] = mean_json(result);
  if (const RecordedPace pace = pace_in(result.steps, &ReplayedStep::recorded);
      pace.stalled_steps > 0)
    json["stalls"] = stalls_json(pace);
  json["doubts"] = doubts_on(result);
  json["notes"] = texts_of(result.notes);
  json["bound_by"] = bound_by(result);
  json["cycles"] = {{"host_s", rounded(result.cycles.host.value)},
                    {"device_s", rounded(result.cycles.device.value)},
                    {"computation_s", rounded(result.cycles.computation.value)}};
  json["start_deviation_s"] = rounded(result.start_deviation.value);
  json["taken_as_recorded"] = {{"training_thread_s", rounded(result.host.value)},
                               {"other_threads_s", rounded(result.other_threads.value)},
                               {"kernels_and_copies_s", rounded(result.device.value)},
                               {"collectives_s", rounded(result.collectives.value)},
                               {"delays_s", rounded(result.delays.value)}};
  return printed(json);
}

}  // namespace stepcast
