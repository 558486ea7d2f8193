#include "sim/report/text/measured/trace_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"
#include "traces/readers/spread.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSteps = 12;  // Shown as a table; JSON has them all.

std::string size_text(Bytes size) {
  return size > Bytes{} ? format_bytes(size) : "not recorded";
}

std::string facts_text(const TraceSummary& summary) {
  std::string text = fmt::format("{} trace\n", summary.format);
  for (const auto& [name, value] : summary.facts)
    text += fmt::format("  {}: {}\n", name, value);
  return text;
}

Spread step_spread(const TraceSummary& summary) {
  std::vector<Seconds> durations;
  for (const StepSummary& step : summary.steps)
    durations.push_back(step.duration);
  return spread_of(std::move(durations));
}

std::string steps_text(const TraceSummary& summary) {
  Table table{.columns = {{"step", Align::Left},
                          {"time"},
                          {"computing"},
                          {"copies"},
                          {"idle for host"},
                          {"idle for collectives"},
                          {"communicating"},
                          {"work"}}};
  for (const StepSummary& step : summary.steps) {
    if (table.rows.size() == kMostSteps)
      break;
    table.rows.push_back({step.name, format_seconds(step.duration), format_seconds(step.device),
                          format_seconds(step.input_copies), format_seconds(step.host_gaps),
                          format_seconds(step.collective_waits), format_seconds(step.communication),
                          fmt::format("{}", step.work)});
  }
  std::string text = render(table);
  if (summary.steps.size() > kMostSteps)
    text += fmt::format("... and {} steps more (--json shows all)\n",
                        summary.steps.size() - kMostSteps);
  if (summary.steps.size() > 1)
    text += fmt::format(
        "{} steps of {}\nWork counts in the step that launched it and may run in the next.\n",
        summary.steps.size(), describe(step_spread(summary)));
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

std::string collectives_text(const TraceSummary& summary) {
  Table table{.columns = {{"collective", Align::Left}, {"size"}, {"count"}, {"mean time"}}};
  for (const CollectiveSummary& entry : summary.collectives)
    table.rows.push_back(
        {entry.kind, size_text(entry.size), fmt::format("{}", entry.count), mean_time_text(entry)});
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
  for (const StepSummary& step : summary.steps)
    json.push_back({{"name", step.name},
                    {"time_s", step.duration.value},
                    {"computing_s", step.device.value},
                    {"input_copies_s", step.input_copies.value},
                    {"idle_for_host_s", step.host_gaps.value},
                    {"idle_for_collectives_s", step.collective_waits.value},
                    {"communicating_s", step.communication.value},
                    {"device_work", step.work}});
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

std::string stragglers_text(const RankComparison& comparison) {
  std::string text;
  for (const RankTiming& timing : comparison.ranks)
    if (timing.straggler)
      text += wrap(fmt::format("Straggler: {} comes last to {} of {} collectives; all others wait "
                               "{} a step for it alone.",
                               timing.name, timing.last, comparison.collectives,
                               format_seconds(timing.holding)),
                   0);
  return text.empty() ? "No straggler.\n" : text;
}

}  // namespace

std::string render_ranks(const RankComparison& comparison) {
  if (comparison.ranks.empty())
    return wrap("Not compared as ranks of one job: " + comparison.why_not, 0);
  Table table{.columns = {{"rank", Align::Left},
                          {"clock offset"},
                          {"half within"},
                          {"mean step"},
                          {"waits"},
                          {"last to"},
                          {"holds up others"}}};
  for (const RankTiming& timing : comparison.ranks)
    table.rows.push_back({timing.name, format_offset(timing.clock_offset),
                          format_seconds(timing.spread), format_seconds(timing.mean_step),
                          format_seconds(timing.waiting), fmt::format("{}", timing.last),
                          format_seconds(timing.holding)});
  std::string text = render(table);
  text += wrap(fmt::format("Clock offsets by the ends of {} collectives that all ranks took part "
                           "in; waits: a step, in them for the rank that comes last.",
                           comparison.collectives),
               0);
  if (comparison.unmatched > 0)
    text += fmt::format("{} collectives are not on every rank.\n", comparison.unmatched);
  return text + stragglers_text(comparison);
}

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
                       const RankTiming* timing) {
  ordered_json json{{"format", summary.format}};
  for (const auto& [name, value] : summary.facts)
    json["facts"][name] = value;
  json["steps"] = steps_json(summary);
  if (!summary.steps.empty())
    json["step_time"] = spread_json(step_spread(summary));
  json["categories"] = ordered_json::array();
  for (const auto& category : summary.categories)
    json["categories"].push_back(
        {{"name", category.name}, {"time_s", category.time.value}, {"count", category.count}});
  json["collectives"] = ordered_json::array();
  for (const CollectiveSummary& entry : summary.collectives)
    json["collectives"].push_back({{"kind", entry.kind},
                                   {"size_bytes", entry.size.value},
                                   {"count", entry.count},
                                   {"time_s", entry.time.value}});
  json["overlapped_communication_s"] = summary.overlapped_communication.value;
  json["exposed_communication_s"] = summary.exposed_communication.value;
  if (timing != nullptr)
    json["rank"] = rank_json(*timing);
  json["skipped"] = tallies_json(report.skipped());
  json["doubtful"] = tallies_json(report.doubtful());
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast
