#include <algorithm>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"

namespace stepcast {
namespace {

/// Of each kind of computation what a rank spends with it in a step, on average, and how often.
std::vector<RankKernels> kernels_of(const JobReplay& replay, std::uint32_t rank) {
  const auto steps = static_cast<double>(replay.steps());
  std::vector<RankKernels> kernels(replay.job().kinds.size());
  replay.for_each([&](const ReplayedOperation& of) {
    if (of.done.rank != rank || !computes(of.kind))
      return;
    kernels[of.done.kind].count += 1 / steps;
    kernels[of.done.kind].time += Seconds{of.actual / steps};
  });
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
