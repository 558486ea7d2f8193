#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/fields/diagnosis_fields.hpp"
#include "sim/report/text/measured/diagnosis_report.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostRanks = 8;
constexpr std::size_t kMostMeetings = 5;

void keep_first(Table& table, std::size_t most) {
  table.rows.resize(std::min(table.rows.size(), most));
}

/// Returns the bus bandwidths of meetings beside those of the cluster; empty without a cluster.
std::string cluster_table(const Diagnosis& diagnosis, const std::vector<MeetingRow>& meetings) {
  if (diagnosis.cluster.empty())
    return "";
  Table table{
      .columns = {
          {"meeting", Align::Left}, {"ranks"}, {"bus bandwidth"}, {"the cluster's"}, {"share"}}};
  for (std::size_t i = 0; i < std::min(meetings.size(), kMostMeetings); ++i)
    if (const MeetingCost& cost = *meetings[i].of; cost.bus_bandwidth && cost.cluster_bandwidth)
      table.rows.push_back({cost.name, meetings[i].ranks, format_bandwidth(*cost.bus_bandwidth),
                            format_bandwidth(*cost.cluster_bandwidth),
                            percent(*cost.bus_bandwidth / *cost.cluster_bandwidth)});
  if (table.rows.empty())
    return wrap(fmt::format("Of none of these size and ranks are known, so that none is compared "
                            "with {}.",
                            diagnosis.cluster),
                0);
  return fmt::format("\nTheir bus bandwidth and what {} has for that size, idle:\n{}",
                     diagnosis.cluster, render(table));
}

/// "rank 4", "ranks 0, 1, 2, 3 .."
std::string worst_in_words(const Diagnosis& diagnosis) {
  constexpr std::size_t kMostNames = 4;
  const std::vector<std::uint32_t>& ranks = diagnosis.worst_ranks.ranks;
  std::string worst;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostNames); ++i)
    worst += fmt::format("{}{}", worst.empty() ? "" : ", ", label_of(diagnosis.ranks[ranks[i]]));
  return fmt::format("rank{} {}{}", ranks.size() == 1 ? "" : "s", worst,
                     ranks.size() > kMostNames ? " .." : "");
}

}  // namespace

std::string render_ranks(const Diagnosis& diagnosis) {
  constexpr Seconds kLong{1};
  std::vector<RankRow> rows = rank_rows(diagnosis);
  std::ranges::stable_sort(rows, std::greater<>(),
                           [](const RankRow& row) { return row.use->slowdown; });
  Table table = table_of(rank_fields(), rows, diagnosis.stages > 1 ? 0U : unsigned{kStages},
                         diagnosis.recorded_step < kLong ? 2 : 1);
  keep_first(table, kMostRanks);
  return "\nWhere the time of ranks goes, ms a step, and their slow-down alone:\n" +
         render_in_parts(table, 1) + and_more(rows.size(), kMostRanks);
}

std::string render_uneven_kernels(const Diagnosis& diagnosis) {
  if (!diagnosis.uneven_kernels)
    return "";
  const UnevenKernels& uneven = *diagnosis.uneven_kernels;
  return "\n" +
         wrap(fmt::format("Of ranks that do the same, rank {} computes longest and rank {} "
                          "shortest, {} and {} a step. Most of it goes with:",
                          label_of(diagnosis.ranks[uneven.slowest]),
                          label_of(diagnosis.ranks[uneven.fastest]),
                          format_seconds(diagnosis.uses[uneven.slowest].computing),
                          format_seconds(diagnosis.uses[uneven.fastest].computing)),
              0) +
         render(table_of(uneven_fields(), uneven.kinds));
}

std::string render_meetings(const Diagnosis& diagnosis) {
  if (diagnosis.meetings.empty())
    return "";
  const std::vector<MeetingRow> meetings = meeting_rows(diagnosis);
  Table table = table_of(meeting_fields(), meetings);
  keep_first(table, kMostMeetings);
  return "\nCollectives and messages that cost most, a step, means of their ranks:\n" +
         render(table) + cluster_table(diagnosis, meetings);
}

std::string render_gains(const Diagnosis& diagnosis) {
  Table table{.columns = {{"with", Align::Left}, {"step ms"}, {"instead of"}, {"less by"}}};
  const auto row = [&](const std::string& name, Seconds now, std::optional<Seconds> step) {
    if (step)
      table.rows.push_back(
          {name, milliseconds(*step), milliseconds(now), percent(1 - *step / now)});
  };
  const Gains& gains = diagnosis.gains;
  const Seconds undelayed = diagnosis.undelayed_step;
  const std::string transfers =
      diagnosis.missing.any() ? "transfers, with waits in them," : "transfers";
  row("no gaps of the host", diagnosis.simulated_step, gains.no_host_gaps);
  row(fmt::format("no straggler: {} as others", worst_in_words(diagnosis)), undelayed,
      gains.even_ranks);
  row("work spread evenly over the stages", undelayed, gains.even_stages);
  row(transfers + " in half their time", undelayed, gains.faster_network);
  row(transfers + " in no time", undelayed, gains.free_network);
  if (const auto& larger = gains.larger_buckets)
    row(fmt::format("larger buckets, of {} or more", format_bytes(larger->size)), larger->now,
        larger->step);
  return fmt::format("\nWhat a step takes with one thing better, {} without delays:\n{}",
                     gains.larger_buckets ? "all but the first and the last" : "all but the first",
                     render(table));
}

}  // namespace stepcast
