#include "sim/jobs/diagnose/slow_links.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "models/base/statistics.hpp"

namespace stepcast {
namespace {

using Group = std::pair<std::uint16_t, std::vector<std::uint32_t>>;  // Kind and ranks.

Group group_of(const JobStep& step, const JobMeeting& meeting) {
  Group group{step.operations[meeting.members.front()].kind, {}};
  for (const std::uint32_t member : meeting.members)
    group.second.push_back(step.operations[member].rank);
  std::ranges::sort(group.second);
  return group;
}

template <typename Use>
void for_meetings(const JobReplay& replay, Use use) {
  for (std::uint32_t step = 0; step < replay.steps(); ++step) {
    const JobStep& of = replay.job().steps[step];
    for (const JobMeeting& meeting : of.meetings)
      use(step, meeting, group_of(of, meeting));
  }
}

/// What all groups have in common: a rank, else a host.
std::string common_to(const Job& job, const std::set<Group>& groups) {
  const auto in_all = [&](auto is_there) {
    return std::ranges::all_of(
        groups, [&](const Group& group) { return std::ranges::any_of(group.second, is_there); });
  };
  std::vector<std::string> ranks;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank)
    if (in_all([&](std::uint32_t other) { return other == rank; }))
      ranks.push_back(fmt::format("rank {}", label_of(job.ranks[rank])));
  if (ranks.size() == 1)
    return ranks.front();
  if (ranks.size() == 2)
    return ranks[0] + " and " + ranks[1];
  for (const JobRank& rank : job.ranks)
    if (!rank.host.empty() &&
        in_all([&](std::uint32_t other) { return job.ranks[other].host == rank.host; }))
      return rank.host;
  return "";
}

/// By group, of those that meet in at least every fourth step: others are larger groups of which
/// members were lost.
std::map<Group, double> median_transfers(const JobReplay& replay) {
  std::map<Group, std::vector<double>> times;
  std::map<Group, std::size_t> counts;
  for_meetings(replay, [&](std::uint32_t step, const JobMeeting& meeting, const Group& group) {
    ++counts[group];
    for (const std::uint32_t member : meeting.members)
      times[group].push_back(replay.actual(step)[member]);
  });
  std::map<Group, double> medians;
  for (auto& [group, of_group] : times)
    if (4 * counts[group] >= replay.steps())
      medians[group] = median_of(of_group);
  return medians;
}

/// By kind.
std::map<std::uint16_t, double> usual_transfers(const std::map<Group, double>& medians,
                                                const JobReplay& replay, double factor,
                                                UsualTransfer from) {
  std::map<std::uint16_t, std::vector<double>> of_kinds;
  for (const auto& [group, median] : medians)
    of_kinds[group.first].push_back(median);
  std::map<std::uint16_t, double> usual;
  for (const auto& [kind, all] : of_kinds) {
    usual[kind] = replay.ideal_of_kind(kind);
    const double quickest = std::ranges::min(all);
    const auto slow =
        std::ranges::count_if(all, [&](double median) { return median > factor * quickest; });
    if (from == UsualTransfer::Quickest && 2 * static_cast<std::size_t>(slow) <= all.size())
      usual[kind] = quickest;
  }
  return usual;
}

}  // namespace

SlowLinks find_slow_links(const JobReplay& replay, double factor, UsualTransfer from) {
  const std::map<Group, double> medians = median_transfers(replay);
  const auto usual = usual_transfers(medians, replay, factor, from);
  SlowLinks links;
  std::set<Group> slow;
  for (const auto& [group, median] : medians) {
    const double ratio = median / std::max(usual.at(group.first), 1e-9);
    if (ratio > factor)
      slow.insert(group);
    links.ratio = std::max(links.ratio, ratio);
  }
  if (slow.empty())
    return links;
  std::vector<std::vector<double>> durations;
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    durations.push_back(replay.actual(step));
  for_meetings(replay, [&](std::uint32_t step, const JobMeeting& meeting, const Group& group) {
    for (const std::uint32_t member : meeting.members)
      if (slow.contains(group))
        durations[step][member] = usual.at(group.first);
  });
  links.step =
      replay.mean_with([&](const ReplayedOperation& of) { return durations[of.step][of.place]; });
  links.common = common_to(replay.job(), slow);
  return links;
}

}  // namespace stepcast
