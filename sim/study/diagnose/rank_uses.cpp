#include "sim/study/diagnose/rank_uses.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "sim/study/diagnose/measures/rank_times.hpp"

namespace stepcast {
namespace {

/// Adds to the rank that came last how long all others waited for it alone.
void add_holding(const JobStep& step, const JobMeeting& meeting, std::vector<RankUse>& uses) {
  if (meeting.message)
    return;
  std::vector<std::uint32_t> members = meeting.members;
  const auto begin = [&](std::uint32_t member) { return step.operations[member].begin; };
  std::ranges::partial_sort(members, members.begin() + 2, std::ranges::greater(), begin);
  uses[step.operations[members[0]].rank].holding += begin(members[0]) - begin(members[1]);
}

/// Of several operations the one that ended last.
std::optional<std::uint32_t> last_of(std::span<const std::uint32_t> places,
                                     const std::vector<double>& ends) {
  const auto found =
      std::ranges::max_element(places, {}, [&](std::uint32_t place) { return ends[place]; });
  return found == places.end() ? std::nullopt : std::optional(*found);
}

class PathFollower {
 public:
  PathFollower(const JobReplay& replay, PathOverRanks& path) : replay_(replay), path_(path) {}

  void follow(std::uint32_t number) {
    const StepGraph& graph = replay_.graph(number);
    const auto& operations = replay_.job().steps[number].operations;
    const std::vector<double>& actual = replay_.actual(number);
    graph.replay(actual, {}, ends_);
    const auto last = std::ranges::max_element(ends_);
    std::optional<std::uint32_t> at = static_cast<std::uint32_t>(last - ends_.begin());
    while (at) {
      path_.by_rank[operations[*at].rank] += actual[*at];
      path_.by_kind[operations[*at].kind] += actual[*at];
      const std::uint32_t late = last_arrival(graph, *at);
      path_.changes += operations[late].rank == operations[*at].rank ? 0 : 1;
      at = last_of(graph.waits_of(late), ends_);
      const auto taken = graph.taken_by(late, ends_);
      if (taken && (!at || ends_[*taken] > ends_[*at]))
        at = taken;
    }
  }

 private:
  /// Of those that an operation meets; itself if it meets nobody.
  std::uint32_t last_arrival(const StepGraph& graph, std::uint32_t place) const {
    std::uint32_t late = place;
    const auto arrival = [&](std::uint32_t member) {
      const auto before = last_of(graph.waits_of(member), ends_);
      return before ? ends_[*before] : 0.0;
    };
    for (const std::uint32_t member : graph.meeting_of(place))
      if (arrival(member) > arrival(late))
        late = member;
    return late;
  }

  const JobReplay& replay_;
  PathOverRanks& path_;
  std::vector<double> ends_;
};

}  // namespace

std::vector<RankUse> rank_uses(const JobReplay& replay) {
  std::vector<RankUse> uses(replay.job().ranks.size());
  for (std::uint32_t rank = 0; rank < uses.size(); ++rank)
    uses[rank] = {.rank = rank,
                  .short_kernels = replay.job().profiled ? std::optional(0.0) : std::nullopt};
  for (std::uint32_t step = 0; step < replay.steps(); ++step) {
    add_rank_times(replay, step, uses);
    if (replay.job().profiled)
      add_short_kernels(replay, step, uses);
    for (const JobMeeting& meeting : replay.job().steps[step].meetings)
      add_holding(replay.job().steps[step], meeting, uses);
  }
  const auto steps = static_cast<double>(replay.steps());
  for (RankUse& use : uses) {
    for (Seconds RankUse::*time : {&RankUse::computing, &RankUse::communicating, &RankUse::exposed,
                                   &RankUse::copies, &RankUse::copies_alone, &RankUse::waiting,
                                   &RankUse::idle_for_host, &RankUse::other, &RankUse::holding})
      use.*time = use.*time / steps;
    if (use.short_kernels)
      *use.short_kernels /= steps;
  }
  return uses;
}

PathOverRanks path_over_ranks(const JobReplay& replay) {
  PathOverRanks path{.by_rank = std::vector<double>(replay.job().ranks.size()),
                     .by_kind = std::vector<double>(replay.job().kinds.size())};
  PathFollower follower(replay, path);
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    follower.follow(step);
  const auto steps = static_cast<double>(replay.steps());
  for (std::vector<double>* times : {&path.by_rank, &path.by_kind})
    for (double& time : *times)
      time /= steps;
  path.changes /= steps;
  return path;
}

}  // namespace stepcast
