#include <algorithm>
#include <map>
#include <set>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "sim/jobs/diagnose/step_as_others.hpp"
#include "sim/jobs/job_pace.hpp"

namespace stepcast {
namespace {

/// By stage, what it computes would take of its time if all stages had as much work: forward
/// passes, backward passes and the rest by themselves.
class StageShares {
 public:
  explicit StageShares(const JobReplay& replay) : job_(replay.job()) {
    std::map<JobWork, std::map<std::uint32_t, std::set<std::uint32_t>>> ranks;  // That do it.
    replay.for_each([&](const ReplayedOperation& of) {
      if (!computes(of.kind.work))
        return;
      times_[of.kind.work][stage_of(of.done)] += of.actual;
      ranks[of.kind.work][stage_of(of.done)].insert(of.done.rank);
    });
    for (auto& [work, of_stages] : times_) {
      double mean = 0;
      for (auto& [stage, time] : of_stages) {
        time /= static_cast<double>(ranks[work][stage].size());
        mean += time / static_cast<double>(of_stages.size());
      }
      for (auto& [stage, time] : of_stages)
        time = time > 0 ? mean / time : 1;
    }
  }

  double of(const ReplayedOperation& of) const {
    return computes(of.kind.work) ? times_.at(of.kind.work).at(stage_of(of.done)) : 1;
  }

 private:
  std::uint32_t stage_of(const JobOperation& done) const { return job_.ranks[done.rank].stage; }

  const Job& job_;
  std::map<JobWork, std::map<std::uint32_t, double>> times_;
};

}  // namespace

Gains gains_of(const JobReplay& replay, const std::vector<std::uint32_t>& worst) {
  const Job& job = replay.job();
  const auto step_with = [&](auto duration) { return Seconds{replay.mean_with(duration)}; };
  const auto with_transfers = [&](double times) {
    return step_with(
        [&](const ReplayedOperation& of) { return of.actual * (of.transfers() ? times : 1); });
  };
  Gains gains{.no_host_gaps = Seconds{mean_of_usual(replay.without_host(), stalled_steps_of(job))}};
  if (const auto step = step_as_others(replay, worst, AsOthers::All))
    gains.even_ranks = Seconds{*step};
  const auto elsewhere = [&](const JobRank& rank) { return rank.stage != job.ranks.front().stage; };
  if (std::ranges::any_of(job.ranks, elsewhere)) {
    const StageShares shares(replay);
    gains.even_stages =
        step_with([&](const ReplayedOperation& of) { return of.actual * shares.of(of); });
  }
  if (std::ranges::any_of(job.kinds,
                          [](const JobKind& kind) { return kind.work == JobWork::Transfer; })) {
    gains.faster_network = with_transfers(0.5);
    gains.free_network = with_transfers(0);
  }
  return gains;
}

}  // namespace stepcast
