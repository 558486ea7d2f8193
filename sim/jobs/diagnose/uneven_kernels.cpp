#include "sim/jobs/diagnose/uneven_kernels.hpp"

#include <algorithm>

namespace stepcast {
namespace {

/// Of each kind of computation what a rank spends with it in a step, on average, and how often.
std::vector<RankKernels> kernels_of(const JobReplay& replay, std::uint32_t rank) {
  const Job& job = replay.job();
  const auto steps = static_cast<double>(replay.steps());
  std::vector<RankKernels> kernels(job.kinds.size());
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place) {
      const JobOperation& done = job.steps[step].operations[place];
      const JobKind& kind = job.kinds[done.kind];
      if (done.rank != rank || kind.copies || kind.work == JobWork::Host ||
          kind.work == JobWork::Transfer)
        continue;
      kernels[done.kind].count += 1 / steps;
      kernels[done.kind].time += Seconds{replay.actual(step)[place] / steps};
    }
  return kernels;
}

}  // namespace

std::optional<UnevenKernels> uneven_kernels(const JobReplay& replay,
                                            const std::vector<RankUse>& uses) {
  constexpr double kAlike = 1.02;
  constexpr std::size_t kMost = 5;
  const Job& job = replay.job();
  UnevenKernels uneven;
  double most = kAlike;
  for (const RankUse& slow : uses)
    for (const RankUse& fast : uses)
      if (const JobRank& one = job.ranks[slow.rank], &other = job.ranks[fast.rank];
          one.stage == other.stage && !one.serves && !other.serves &&
          slow.computing > most * fast.computing && fast.computing > Seconds{}) {
        most = slow.computing / fast.computing;
        uneven.slowest = slow.rank;
        uneven.fastest = fast.rank;
      }
  if (most == kAlike)
    return std::nullopt;
  const std::vector<RankKernels> slow = kernels_of(replay, uneven.slowest);
  const std::vector<RankKernels> fast = kernels_of(replay, uneven.fastest);
  for (std::size_t kind = 0; kind < job.kinds.size(); ++kind)
    if (slow[kind].time > fast[kind].time)
      uneven.kinds.push_back({job.kinds[kind].name, slow[kind], fast[kind]});
  std::ranges::stable_sort(uneven.kinds, std::greater<>(), &UnevenKind::longer_by);
  uneven.kinds.resize(std::min(uneven.kinds.size(), kMost));
  return uneven;
}

}  // namespace stepcast
