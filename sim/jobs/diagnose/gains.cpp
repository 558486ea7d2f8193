#include "sim/jobs/diagnose/gains.hpp"

#include <algorithm>
#include <map>
#include <set>

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
    for (std::uint32_t step = 0; step < replay.steps(); ++step)
      for (std::uint32_t place = 0; place < replay.actual(step).size(); ++place)
        if (const JobOperation& done = job_.steps[step].operations[place]; computes(done)) {
          times_[work_of(done)][stage_of(done)] += replay.actual(step)[place];
          ranks[work_of(done)][stage_of(done)].insert(done.rank);
        }
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

  double of(const JobOperation& done) const {
    return computes(done) ? times_.at(work_of(done)).at(stage_of(done)) : 1;
  }

 private:
  JobWork work_of(const JobOperation& done) const { return job_.kinds[done.kind].work; }
  std::uint32_t stage_of(const JobOperation& done) const { return job_.ranks[done.rank].stage; }
  bool computes(const JobOperation& done) const {
    return work_of(done) != JobWork::Transfer && work_of(done) != JobWork::Host;
  }

  const Job& job_;
  std::map<JobWork, std::map<std::uint32_t, double>> times_;
};

}  // namespace

Gains gains_of(const JobReplay& replay, const std::vector<std::uint32_t>& worst) {
  const Job& job = replay.job();
  const auto at = [&](std::uint32_t step, std::uint32_t place) -> const JobOperation& {
    return job.steps[step].operations[place];
  };
  const auto step_with = [&](auto duration) {
    return Seconds{mean_of(replay.replay_with(duration))};
  };
  const auto with_transfers = [&](double times) {
    return step_with([&](std::uint32_t step, std::uint32_t place) {
      const bool transfers = job.kinds[at(step, place).kind].work == JobWork::Transfer;
      return replay.actual(step)[place] * (transfers ? times : 1);
    });
  };
  Gains gains{.no_host_gaps = Seconds{mean_of_usual(replay.without_host(), stalled_steps_of(job))}};
  if (const auto step = step_as_others(replay, worst, AsOthers::All))
    gains.even_ranks = Seconds{*step};
  const auto elsewhere = [&](const JobRank& rank) { return rank.stage != job.ranks.front().stage; };
  if (std::ranges::any_of(job.ranks, elsewhere)) {
    const StageShares shares(replay);
    gains.even_stages = step_with([&](std::uint32_t step, std::uint32_t place) {
      return replay.actual(step)[place] * shares.of(at(step, place));
    });
  }
  if (std::ranges::any_of(job.kinds,
                          [](const JobKind& kind) { return kind.work == JobWork::Transfer; })) {
    gains.faster_network = with_transfers(0.5);
    gains.free_network = with_transfers(0);
  }
  return gains;
}

}  // namespace stepcast
