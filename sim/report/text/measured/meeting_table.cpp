#include "sim/report/text/measured/meeting_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

/// "0-3, 6", of many runs the first ones; of a message "2 -> 3".
std::string ranks_in_words(const MeetingCost& cost, const std::vector<JobRank>& ranks) {
  constexpr std::size_t kMostRuns = 3;
  const auto label = [&](std::size_t place) { return label_of(ranks[cost.ranks[place]]); };
  if (cost.message)
    return label(0) + " -> " + label(1);
  const auto number = [&](std::size_t place) { return ranks[cost.ranks[place]].number; };
  std::string text;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < cost.ranks.size(); ++runs) {
    std::size_t last = first;
    while (last + 1 < cost.ranks.size() && number(last + 1) == number(last) + 1)
      ++last;
    if (runs == kMostRuns)
      return fmt::format("{} .. ({} ranks)", text, cost.ranks.size());
    const std::string run = first == last ? label(first) : label(first) + "-" + label(last);
    text += text.empty() ? run : ", " + run;
    first = last + 1;
  }
  return text;
}

std::vector<MeetingCost> shown(const Diagnosis& diagnosis) {
  constexpr std::size_t kMostMeetings = 5;
  std::vector<MeetingCost> costs = diagnosis.meetings;
  costs.resize(std::min(costs.size(), kMostMeetings));
  return costs;
}

/// Beside what the cluster has for them; empty: no cluster is given.
std::string cluster_table(const Diagnosis& diagnosis) {
  if (diagnosis.cluster.empty())
    return "";
  Table table{
      .columns = {
          {"meeting", Align::Left}, {"ranks"}, {"bus bandwidth"}, {"the cluster's"}, {"share"}}};
  for (const MeetingCost& cost : shown(diagnosis))
    if (cost.bus_bandwidth && cost.cluster_bandwidth)
      table.rows.push_back({cost.name, ranks_in_words(cost, diagnosis.ranks),
                            format_bandwidth(*cost.bus_bandwidth),
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

}  // namespace

std::string render_meetings(const Diagnosis& diagnosis) {
  if (diagnosis.meetings.empty())
    return "";
  const bool any_bandwidth = std::ranges::any_of(
      diagnosis.meetings, [](const MeetingCost& cost) { return cost.bus_bandwidth.has_value(); });
  Table table{.columns = {{"meeting", Align::Left},
                          {"ranks"},
                          {"count"},
                          {"transfer ms"},
                          {"exposed ms"},
                          {"waiting ms"}}};
  if (any_bandwidth)
    table.columns.push_back({"bus bandwidth"});
  for (const MeetingCost& cost : shown(diagnosis)) {
    table.rows.push_back({cost.name, ranks_in_words(cost, diagnosis.ranks),
                          fmt::format("{:.4g}", cost.count), milliseconds(cost.transfer),
                          milliseconds(cost.exposed), milliseconds(cost.waiting)});
    if (any_bandwidth)
      table.rows.back().push_back(cost.bus_bandwidth ? format_bandwidth(*cost.bus_bandwidth) : "-");
  }
  return "\nCollectives and messages that cost most, a step, means of their ranks:\n" +
         render(table) + cluster_table(diagnosis);
}

}  // namespace stepcast
