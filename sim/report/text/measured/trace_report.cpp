#include "sim/report/text/measured/trace_report.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/fields/reading.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/formats/spread.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSteps = 12;  // Shown as a table; JSON has them all.

std::string unless_zero(const ordered_json& value) {
  return value == 0 ? "" : format_seconds({value.get<double>()});
}

std::string size_text(const ordered_json& value) {
  return value == 0 ? "not recorded" : format_bytes({value.get<double>()});
}

/// Returns the mean time; 0 where no times are recorded.
ordered_json mean_time(const CollectiveSummary& entry) {
  return (entry.time / static_cast<double>(entry.count)).value;
}

std::string mean_text(const ordered_json& value) {
  return value > 0 ? format_seconds({value.get<double>()}) : "not recorded";
}

/// "0, 4, 8, ... (16)"
std::string group_text(const ordered_json& value) {
  constexpr std::size_t kShown = 4;
  const std::vector<std::uint32_t> group = value;
  if (group.empty())
    return "all";
  const std::span<const std::uint32_t> front =
      std::span(group).first(std::min(kShown, group.size()));
  return fmt::format("{}{}", fmt::join(front, ", "),
                     group.size() > kShown ? fmt::format(", ... ({})", group.size()) : "");
}

constexpr std::array kStepFields = std::to_array<Field<StepSummary>>({
    {"name", Unit::Name, of<&StepSummary::name>, "", "", "step"},
    {"time_s", Unit::Time, of<&StepSummary::duration>, "", "", "time"},
    {"host_s", Unit::Time, of<&StepSummary::host>, "", "", "on host", 0, unless_zero},
    {"whole", Unit::Flag, of<&StepSummary::whole>},
    {"computing_s", Unit::Time, of<&StepSummary::device>, "", "", "computing"},
    {"input_copies_s", Unit::Time, of<&StepSummary::input_copies>, "", "", "copies"},
    {"copies_alone_s", Unit::Time, of<&StepSummary::copies_alone>},
    {"idle_for_host_s", Unit::Time, of<&StepSummary::host_gaps>, "", "", "idle for host"},
    {"idle_for_collectives_s", Unit::Time, of<&StepSummary::collective_waits>, "", "",
     "idle for collectives"},
    {"communicating_s", Unit::Time, of<&StepSummary::communication>, "", "", "communicating"},
    {"device_work", Unit::Count, of<&StepSummary::work>, "", "", "work"},
    {"stalled", Unit::True, known<&StepSummary::stalled>},
});

constexpr std::array kCategoryFields = std::to_array<Field<TraceSummary::Category>>({
    {"name", Unit::Name, of<&TraceSummary::Category::name>, "", "", "category"},
    {"time_s", Unit::Time, of<&TraceSummary::Category::time>, "", "", "time"},
    {"count", Unit::Count, of<&TraceSummary::Category::count>, "", "", "count"},
});

constexpr std::array kCollectiveFields = std::to_array<Field<CollectiveSummary>>({
    {"kind", Unit::Name, of<&CollectiveSummary::kind>, "", "", "collective"},
    {"size_bytes", Unit::Bytes, of<&CollectiveSummary::size>, "", "", "size", 0, size_text},
    {"count", Unit::Count, of<&CollectiveSummary::count>, "", "", "count"},
    {"time_s", Unit::Time, of<&CollectiveSummary::time>},
    {"mean_time_s", Unit::Time, mean_time, "", "", "mean time", kNoJson, mean_text},
    {"group_in_words", Unit::Name, of<&CollectiveSummary::group>, "", "", "ranks", kNoJson | kIfAny,
     group_text},
    {"group", Unit::Rows,
     [](const CollectiveSummary&
            entry) { return unless(entry.group.empty(), of<&CollectiveSummary::group>(entry)); },
     "Null: all ranks.", "", "", kNull},
});

constexpr std::array kRankFields = std::to_array<Field<RankTiming>>({
    {"name", Unit::Name, of<&RankTiming::name>, "", "", "rank"},
    {"clock_offset_s", Unit::Time, of<&RankTiming::clock_offset>, "", "", "clock offset", 0,
     [](const ordered_json& value) { return format_offset({value.get<double>()}); }},
    {"clock_offset_spread_s", Unit::Time, of<&RankTiming::spread>, "", "", "half within"},
    {"mean_step_s", Unit::Time, of<&RankTiming::mean_step>, "", "", "mean step"},
    {"waiting_s", Unit::Time, of<&RankTiming::waiting>, "", "", "waits"},
    {"last_to_collectives", Unit::Count, of<&RankTiming::last>, "", "", "last to"},
    {"holding_up_s", Unit::Time, of<&RankTiming::holding>, "", "", "holds up others"},
    {"straggler", Unit::Flag, of<&RankTiming::straggler>},
});

/// What is not to be trusted stands first.
std::string facts_text(const TraceSummary& summary) {
  std::string text = doubtful(summary.doubts) + fmt::format("{} trace\n", summary.format);
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
  if (const RecordedPace pace = pace_in(summary.steps, &StepSummary::duration);
      pace.stalled_steps > 0)
    text += wrap(describe(pace), 0);
  const auto part = std::ranges::find_if(
      summary.steps, [](const StepSummary& step) { return !step.whole && step.work > 0; });
  if (part != summary.steps.end())
    text += fmt::format("{} is in no mean: where the one before it ended was not recorded.\n",
                        part->name);
  return text;
}

std::string steps_text(const TraceSummary& summary) {
  Table table = table_of(span_of(kStepFields), summary.steps);
  table.rows.resize(std::min(table.rows.size(), kMostSteps));
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

std::string collectives_text(const TraceSummary& summary) {
  std::string text = render(table_of(span_of(kCollectiveFields), summary.collectives));
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

ordered_json spread_json(const Spread& spread) {
  return {{"count", spread.count},
          {"mean_s", spread.mean.value},
          {"median_s", spread.median.value},
          {"standard_deviation_s", spread.deviation.value},
          {"smallest_s", spread.smallest.value},
          {"largest_s", spread.largest.value}};
}

ordered_json batch_json(const BatchSummary& batch) {
  return {{"value", batch.value > 0 ? ordered_json(batch.value) : ordered_json()},
          {"evidence", batch.evidence}};
}

std::string stragglers_text(const RankComparison& comparison) {
  if (comparison.missing() > 0)
    return wrap(fmt::format("The traces of {} of the job's {} ranks are missing: one of these may "
                            "be the one that all others wait for, so no straggler is named.",
                            comparison.missing(), comparison.job),
                0);
  std::string text;
  for (const RankTiming& timing : comparison.ranks)
    if (timing.straggler)
      text += wrap(
          fmt::format("Straggler: {} comes last to {} of {} collectives; all others wait "
                      "{} a step for it alone.",
                      timing.name, timing.last, timing.collectives, format_seconds(timing.holding)),
          0);
  return text.empty() ? "No straggler.\n" : text;
}

/// "all ranks", "all given ranks".
std::string whom(const RankComparison& comparison) {
  return comparison.missing() > 0 ? "all given ranks" : "all ranks";
}

}  // namespace

std::string render_trace(const TraceSummary& summary) {
  std::string text = facts_text(summary);
  if (!summary.steps.empty())
    text += fmt::format("\n{}", steps_text(summary));
  if (!summary.categories.empty())
    text += "\n" + render(table_of(span_of(kCategoryFields), summary.categories));
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
  json["steps"] = json_of(span_of(kStepFields), summary.steps);
  if (summary.device_step)
    json["device_step_s"] = summary.device_step->value;
  json["doubts"] = summary.doubts;
  if (!summary.steps.empty())
    json["step_time"] = spread_json(step_spread(summary));
  if (const RecordedPace pace = pace_in(summary.steps, &StepSummary::duration);
      pace.stalled_steps > 0)
    json["stalls"] = stalls_json(pace);
  json["categories"] = json_of(span_of(kCategoryFields), summary.categories);
  json["collectives"] = json_of(span_of(kCollectiveFields), summary.collectives);
  json["overlapped_communication_s"] = summary.overlapped_communication.value;
  json["exposed_communication_s"] = summary.exposed_communication.value;
  if (timing != nullptr)
    json["rank"] = json_of(span_of(kRankFields), *timing);
  json["skipped"] = tallies_json(report.skipped());
  json["doubtful"] = tallies_json(report.doubtful());
  return printed(json);
}

std::string render_ranks(const RankComparison& comparison) {
  if (comparison.ranks.empty())
    return wrap("Not compared as ranks of one job: " + comparison.why_not, 0);
  std::string text = render(table_of(span_of(kRankFields), comparison.ranks));
  text += wrap(fmt::format("Clock offsets by the ends of {} collectives that {} took part in; "
                           "waits: a step, in them for the rank that comes last.",
                           comparison.collectives, whom(comparison)),
               0);
  if (comparison.unmatched > 0)
    text += wrap(fmt::format("{} collectives have no partner that ends with them on every other "
                             "rank.",
                             comparison.unmatched),
                 0);
  return text + stragglers_text(comparison);
}

}  // namespace stepcast
