#include "sim/study/diagnose/slow_links.hpp"

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

}  // namespace

SlowLinks find_slow_links(const JobReplay& replay, double factor) {
  std::map<Group, std::vector<double>> times;
  std::map<Group, std::size_t> counts;
  for_meetings(replay, [&](std::uint32_t step, const JobMeeting& meeting, const Group& group) {
    ++counts[group];
    for (const std::uint32_t member : meeting.members)
      times[group].push_back(replay.actual(step)[member]);
  });
  SlowLinks links;
  std::set<Group> slow;
  for (auto& [group, of_group] : times) {
    if (4 * counts[group] < replay.steps())
      continue;  // Met seldom: a larger group, of which members were lost.
    const double ratio = median_of(of_group) / std::max(replay.ideal_of_kind(group.first), 1e-9);
    if (ratio > factor)
      slow.insert(group);
    links.ratio = std::max(links.ratio, ratio);
  }
  if (slow.empty())
    return links;
  std::vector<std::vector<bool>> is_slow;
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    is_slow.emplace_back(replay.actual(step).size());
  for_meetings(replay, [&](std::uint32_t step, const JobMeeting& meeting, const Group& group) {
    for (const std::uint32_t member : meeting.members)
      is_slow[step][member] = slow.contains(group);
  });
  links.step = mean_of(replay.replay_with([&](std::uint32_t step, std::uint32_t place) {
    return is_slow[step][place] ? replay.ideal(step)[place] : replay.actual(step)[place];
  }));
  links.common = common_to(replay.job(), slow);
  return links;
}

}  // namespace stepcast
