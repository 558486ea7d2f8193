#include "sim/jobs/diagnose/rank_uses.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "sim/jobs/diagnose/rank_times.hpp"
#include "sim/jobs/job_pace.hpp"

namespace stepcast {
namespace {

/// Adds to the rank that came last how long all others of its stage waited for it alone. Whoever
/// waits for another stage waits for the pipeline's order.
void add_holding(const Job& job, const JobStep& step, const JobMeeting& meeting,
                 std::vector<RankUse>& uses) {
  const auto stage = [&](std::uint32_t member) {
    return job.ranks[step.operations[member].rank].stage;
  };
  const auto elsewhere = [&](std::uint32_t member) {
    return stage(member) != stage(meeting.members.front());
  };
  if (meeting.message || std::ranges::any_of(meeting.members, elsewhere))
    return;
  std::vector<std::uint32_t> members = meeting.members;
  const auto begin = [&](std::uint32_t member) { return step.operations[member].begin; };
  std::ranges::partial_sort(members, members.begin() + 2, std::ranges::greater(), begin);
  uses[step.operations[members[0]].rank].holding += begin(members[0]) - begin(members[1]);
}

}  // namespace

std::vector<RankUse> rank_uses(const JobReplay& replay) {
  std::vector<RankUse> uses(replay.job().ranks.size());
  for (std::uint32_t rank = 0; rank < uses.size(); ++rank)
    uses[rank] = {.rank = rank,
                  .short_kernels = replay.job().profiled ? std::optional(0.0) : std::nullopt};
  const std::vector<bool> stalled = stalled_steps_of(replay.job());
  for (std::uint32_t step = 0; step < replay.steps(); ++step) {
    if (stalled[step])
      continue;
    add_rank_times(replay, step, uses);
    if (replay.job().profiled)
      add_short_kernels(replay, step, uses);
    for (const JobMeeting& meeting : replay.job().steps[step].meetings)
      add_holding(replay.job(), replay.job().steps[step], meeting, uses);
  }
  const auto steps = static_cast<double>(std::ranges::count(stalled, false));
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

}  // namespace stepcast
