#include "sim/report/text/measured/replay_report.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSteps = 12;  // Shown as a table; JSON has them all.

template <class TimeOf>
Seconds mean_of(const ReplayedTrace& result, TimeOf time_of) {
  Seconds sum{};
  for (const ReplayedStep& step : result.steps)
    sum += time_of(step);
  return sum / static_cast<double>(result.steps.size());
}

std::string percent(Seconds of, Seconds base) {
  const double change = std::round(1000 * (of / base - 1)) / 10;
  return fmt::format("{:+.1f} %", change == 0 ? 0.0 : change);  // Not "-0.0".
}

std::vector<std::string> row_of(const ReplayedStep& step) {
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
  return {{"name", step.name},
          {"recorded_s", rounded(step.recorded.value)},
          {"simulated_s", rounded(step.simulated.value)},
          {"error", rounded(step.simulated / step.recorded - 1) + 0.0}};
}

ordered_json mean_json(const ReplayedTrace& result) {
  ordered_json json = step_json(mean_step(result));
  json["sustained_s"] = rounded(result.sustained.time.value);
  if (!result.change.empty())
    json["changed_s"] = rounded(result.changed.time.value);
  return json;
}

/// Why a change shows nothing, where host or device hide it; empty if neither does.
std::string note_on_bound(const SustainedStep& step) {
  constexpr double kBound = 0.8;
  if (step.host >= step.busiest && step.host / step.time >= kBound)
    return fmt::format(
        "Bound by the host: its threads are busy for {:.0f} % of the step, and hide "
        "what device and network do; --host-speed shows what lies behind.",
        100 * (step.host / step.time));
  if (step.busiest > step.host && step.busiest / step.time >= kBound)
    return fmt::format(
        "Bound by the device: its busiest stream is busy for {:.0f} % of the step, and "
        "hides what the host does; --device-speed shows what lies behind.",
        100 * (step.busiest / step.time));
  return "";
}

/// On the change, why there is none to see, and where the recorded host was ahead of its device.
std::vector<std::string> notes_on(const ReplayedTrace& result) {
  constexpr double kUnchanged = 0.005;
  std::vector<std::string> notes = result.notes;
  if (result.sustained.time / mean_simulated(result) - 1 > kUnchanged)
    notes.push_back(fmt::format(
        "The host ran ahead of the device: a stream has {} to do in a step, which steps of {} "
        "cannot go on for; changes are compared with {} a step.",
        format_seconds(result.sustained.busiest), format_seconds(mean_simulated(result)),
        format_seconds(result.sustained.time)));
  if (result.change.empty() ||
      std::abs(result.changed.time / result.sustained.time - 1) > kUnchanged)
    return notes;
  if (std::string bound = note_on_bound(result.changed); !bound.empty())
    notes.push_back(std::move(bound));
  return notes;
}

}  // namespace

ReplayedTrace replay_result(std::string origin, const std::vector<RecordedStep>& steps) {
  ReplayedTrace result{.origin = std::move(origin)};
  const auto count = static_cast<double>(steps.size());
  for (const RecordedStep& step : steps)
    for (const RecordedTask& task : step.tasks) {
      if (task.kind == RecordedKind::Collective)
        result.collectives += task.duration / count;
      else if (task.kind != RecordedKind::Host)
        result.device += task.duration / count;
      else
        (task.stream == 0 ? result.host : result.other_threads) += task.duration / count;
    }
  return result;
}

Seconds mean_recorded(const ReplayedTrace& result) {
  return mean_of(result, [](const ReplayedStep& step) { return step.recorded; });
}

Seconds mean_simulated(const ReplayedTrace& result) {
  return mean_of(result, [](const ReplayedStep& step) { return step.simulated; });
}

std::string render_replay(const ReplayedTrace& result) {
  Table table{.columns = {{"step", Align::Left}, {"recorded"}, {"simulated"}, {"error"}}};
  for (std::size_t i = 0; i < result.steps.size() && i < kMostSteps; ++i)
    table.rows.push_back(row_of(result.steps[i]));
  table.rows.push_back(row_of(mean_step(result)));
  std::string text = render(table);
  if (result.steps.size() > kMostSteps)
    text +=
        fmt::format("The mean is of all {} steps; --json shows them all.\n", result.steps.size());
  text += wrap(
      fmt::format("Taken as recorded, a step: {} of the training thread and {} of the threads it "
                  "calls, between launches and waits; {} of kernels and copies; {} of collectives. "
                  "Simulated: when each of them runs, and every wait. Work on the device starts "
                  "within {} (median) of when it was recorded to.",
                  format_seconds(result.host), format_seconds(result.other_threads),
                  format_seconds(result.device), format_seconds(result.collectives),
                  format_seconds(result.start_deviation)),
      0);
  if (!result.change.empty())
    text += wrap(fmt::format("With {}: {} a step, {} against the simulated {}.", result.change,
                             format_seconds(result.changed.time),
                             percent(result.changed.time, result.sustained.time),
                             format_seconds(result.sustained.time)),
                 0);
  for (const std::string& note : notes_on(result))
    text += wrap("Note: " + note, 2);
  return text;
}

std::string replay_json(const ReplayedTrace& result) {
  ordered_json json{{"trace", result.origin}, {"change", result.change}};
  json["steps"] = ordered_json::array();
  for (const ReplayedStep& step : result.steps)
    json["steps"].push_back(step_json(step));
  json["mean"] = mean_json(result);
  json["notes"] = notes_on(result);
  json["start_deviation_s"] = rounded(result.start_deviation.value);
  json["taken_as_recorded"] = {{"training_thread_s", rounded(result.host.value)},
                               {"other_threads_s", rounded(result.other_threads.value)},
                               {"kernels_and_copies_s", rounded(result.device.value)},
                               {"collectives_s", rounded(result.collectives.value)}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast
