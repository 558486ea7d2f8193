#include "sim/report/text/measured/trace_report.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/json/stalls_json.hpp"
#include "sim/report/text/table.hpp"
#include "traces/readers/spread.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSteps = 12;  // Shown as a table; JSON has them all.

std::string size_text(Bytes size) {
  return size > Bytes{} ? format_bytes(size) : "not recorded";
}

/// What is not to be trusted stands first.
std::string facts_text(const TraceSummary& summary) {
  std::string text;
  for (const std::string& doubt : summary.doubts)
    text += wrap(fmt::format("Doubtful: {}.", doubt), 2);
  text += fmt::format("{} trace\n", summary.format);
  for (const auto& [name, value] : summary.facts)
    text += fmt::format("  {}: {}\n", name, value);
  return text;
}

/// Returns mean and spread of the durations of usual steps.
Spread step_spread(const TraceSummary& summary) {
  std::vector<Seconds> durations;
  for (const StepSummary& step : summary.steps)
    if (step.whole && !step.stalled)
      durations.push_back(step.duration);
  return spread_of(std::move(durations));
}

RecordedPace inspected_pace(const TraceSummary& summary) {
  std::vector<Seconds> lengths;
  std::vector<bool> stalled;
  for (const StepSummary& step : summary.steps)
    if (step.whole) {
      lengths.push_back(step.duration);
      stalled.push_back(step.stalled);
    }
  return pace_of(lengths, stalled);
}

/// The steps of a device, as against those of its host.
std::string device_steps_text(const TraceSummary& summary) {
  const auto is_usual = [](const StepSummary& step) { return step.whole && !step.stalled; };
  const auto usual = static_cast<double>(std::ranges::count_if(summary.steps, is_usual));
  Seconds host{};
  for (const StepSummary& step : summary.steps)
    if (is_usual(step))
      host += step.host / usual;
  std::string text = fmt::format("The device's own step: {}; the host's: {}.\n",
                                 describe(step_spread(summary)), format_seconds(host));
  if (const RecordedPace pace = inspected_pace(summary); pace.stalled_steps > 0)
    text += wrap(describe(pace), 0);
  const auto part = std::ranges::find_if(
      summary.steps, [](const StepSummary& step) { return !step.whole && step.work > 0; });
  if (part != summary.steps.end())
    text += fmt::format("{} is in no mean: where the one before it ended was not recorded.\n",
                        part->name);
  return text;
}

std::string steps_text(const TraceSummary& summary) {
  Table table{.columns = {{"step", Align::Left},
                          {"time"},
                          {"on host"},
                          {"computing"},
                          {"copies"},
                          {"idle for host"},
                          {"idle for collectives"},
                          {"communicating"},
                          {"work"}}};
  for (const StepSummary& step : summary.steps) {
    if (table.rows.size() == kMostSteps)
      break;
    table.rows.push_back({step.name, format_seconds(step.duration),
                          step.host > Seconds{} ? format_seconds(step.host) : "",
                          format_seconds(step.device), format_seconds(step.input_copies),
                          format_seconds(step.host_gaps), format_seconds(step.collective_waits),
                          format_seconds(step.communication), fmt::format("{}", step.work)});
  }
  std::string text = render(table);
  if (summary.steps.size() > kMostSteps)
    text += fmt::format("... and {} steps more (--json shows all)\n",
                        summary.steps.size() - kMostSteps);
  if (summary.device_step)
    text += device_steps_text(summary);
  else if (summary.steps.size() > 1)
    text += fmt::format("{} steps of {}\n", summary.steps.size(), describe(step_spread(summary)));
  if (summary.steps.size() > 1)
    text += "Work counts in the step that launched it and may run in the next.\n";
  return text;
}

std::string categories_text(const TraceSummary& summary) {
  Table table{.columns = {{"category", Align::Left}, {"time"}, {"count"}}};
  for (const auto& category : summary.categories)
    table.rows.push_back(
        {category.name, format_seconds(category.time), fmt::format("{}", category.count)});
  return render(table);
}

std::string mean_time_text(const CollectiveSummary& entry) {
  return entry.time > Seconds{} ? format_seconds(entry.time / static_cast<double>(entry.count))
                                : "not recorded";
}

/// "0, 4, 8, ... (16)"
std::string group_text(const std::vector<std::uint32_t>& group) {
  constexpr std::size_t kShown = 4;
  if (group.empty())
    return "all";
  const std::span<const std::uint32_t> front =
      std::span(group).first(std::min(kShown, group.size()));
  return fmt::format("{}{}", fmt::join(front, ", "),
                     group.size() > kShown ? fmt::format(", ... ({})", group.size()) : "");
}

std::string collectives_text(const TraceSummary& summary) {
  Table table{.columns = {{"collective", Align::Left}, {"size"}, {"count"}, {"mean time"}}};
  const bool groups = std::ranges::any_of(
      summary.collectives, [](const CollectiveSummary& entry) { return !entry.group.empty(); });
  if (groups)
    table.columns.push_back({"ranks", Align::Left});
  for (const CollectiveSummary& entry : summary.collectives) {
    table.rows.push_back(
        {entry.kind, size_text(entry.size), fmt::format("{}", entry.count), mean_time_text(entry)});
    if (groups)
      table.rows.back().push_back(group_text(entry.group));
  }
  std::string text = render(table);
  if (summary.overlapped_communication + summary.exposed_communication > Seconds{})
    text += fmt::format("{} of communication beside computation, {} by itself\n",
                        format_seconds(summary.overlapped_communication),
                        format_seconds(summary.exposed_communication));
  return text;
}

ordered_json tallies_json(const std::map<std::string, ImportReport::Tally>& tallies) {
  ordered_json json = ordered_json::object();
  for (const auto& [kind, tally] : tallies)
    json[kind] = {{"count", tally.count}, {"first", tally.first}};
  return json;
}

ordered_json steps_json(const TraceSummary& summary) {
  ordered_json json = ordered_json::array();
  for (const StepSummary& step : summary.steps) {
    json.push_back({{"name", step.name},
                    {"time_s", step.duration.value},
                    {"host_s", step.host.value},
                    {"whole", step.whole},
                    {"computing_s", step.device.value},
                    {"input_copies_s", step.input_copies.value},
                    {"copies_alone_s", step.copies_alone.value},
                    {"idle_for_host_s", step.host_gaps.value},
                    {"idle_for_collectives_s", step.collective_waits.value},
                    {"communicating_s", step.communication.value},
                    {"device_work", step.work}});
    if (step.stalled)
      json.back()["stalled"] = true;
  }
  return json;
}

ordered_json spread_json(const Spread& spread) {
  return {{"count", spread.count},
          {"mean_s", spread.mean.value},
          {"median_s", spread.median.value},
          {"standard_deviation_s", spread.deviation.value},
          {"smallest_s", spread.smallest.value},
          {"largest_s", spread.largest.value}};
}

ordered_json rank_json(const RankTiming& timing) {
  return {{"name", timing.name},
          {"clock_offset_s", timing.clock_offset.value},
          {"clock_offset_spread_s", timing.spread.value},
          {"mean_step_s", timing.mean_step.value},
          {"waiting_s", timing.waiting.value},
          {"last_to_collectives", timing.last},
          {"holding_up_s", timing.holding.value},
          {"straggler", timing.straggler}};
}

/// Null: all ranks.
ordered_json group_json(const std::vector<std::uint32_t>& group) {
  return group.empty() ? ordered_json() : ordered_json(group);
}

ordered_json batch_json(const BatchSummary& batch) {
  return {{"value", batch.value > 0 ? ordered_json(batch.value) : ordered_json()},
          {"evidence", batch.evidence}};
}

}  // namespace

std::string render_trace(const TraceSummary& summary) {
  std::string text = facts_text(summary);
  if (!summary.steps.empty())
    text += fmt::format("\n{}", steps_text(summary));
  if (!summary.categories.empty())
    text += fmt::format("\n{}", categories_text(summary));
  if (!summary.collectives.empty())
    text += fmt::format("\n{}", collectives_text(summary));
  return text;
}

std::string trace_json(const TraceSummary& summary, const ImportReport& report,
                       std::size_t ranks_given, const RankTiming* timing) {
  ordered_json json{{"format", summary.format}};
  for (const auto& [name, value] : summary.facts)
    json["facts"][name] = value;
  json["batch"] = batch_json(summary.batch);
  json["ranks_given"] = ranks_given;
  const bool job_known = summary.rank && summary.rank->ranks;
  json["ranks"] = job_known ? ordered_json(*summary.rank->ranks) : ordered_json();
  json["steps"] = steps_json(summary);
  if (summary.device_step)
    json["device_step_s"] = summary.device_step->value;
  json["doubts"] = summary.doubts;
  if (!summary.steps.empty())
    json["step_time"] = spread_json(step_spread(summary));
  if (const RecordedPace pace = inspected_pace(summary); pace.stalled_steps > 0)
    json["stalls"] = stalls_json(pace);
  json["categories"] = ordered_json::array();
  for (const auto& category : summary.categories)
    json["categories"].push_back(
        {{"name", category.name}, {"time_s", category.time.value}, {"count", category.count}});
  json["collectives"] = ordered_json::array();
  for (const CollectiveSummary& entry : summary.collectives)
    json["collectives"].push_back({{"kind", entry.kind},
                                   {"size_bytes", entry.size.value},
                                   {"count", entry.count},
                                   {"time_s", entry.time.value},
                                   {"group", group_json(entry.group)}});
  json["overlapped_communication_s"] = summary.overlapped_communication.value;
  json["exposed_communication_s"] = summary.exposed_communication.value;
  if (timing != nullptr)
    json["rank"] = rank_json(*timing);
  json["skipped"] = tallies_json(report.skipped());
  json["doubtful"] = tallies_json(report.doubtful());
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast
