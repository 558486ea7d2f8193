#include "sim/study/diagnose/pass_variation.hpp"

#include <cmath>
#include <map>
#include <tuple>

namespace stepcast {
namespace {

bool is_pass(const Job& job, const JobOperation& done) {
  const JobWork work = job.kinds[done.kind].work;
  return work == JobWork::Forward || work == JobWork::Backward;
}

/// Means of the passes of a kind, by what `key_of` says.
template <typename KeyOf>
std::map<std::pair<std::uint32_t, std::uint16_t>, double> means_by(const JobReplay& replay,
                                                                   KeyOf key_of) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::pair<double, double>> sums;
  const Job& job = replay.job();
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place) {
      const JobOperation& done = job.steps[step].operations[place];
      if (!is_pass(job, done))
        continue;
      auto& [sum, count] = sums[{key_of(done), done.kind}];
      sum += replay.actual(step)[place];
      count += 1;
    }
  std::map<std::pair<std::uint32_t, std::uint16_t>, double> means;
  for (const auto& [key, sum] : sums)
    means[key] = sum.first / sum.second;
  return means;
}

using Means = std::map<std::pair<std::uint32_t, std::uint16_t>, double>;

/// Pearson's correlation, summed up pair by pair; the values are deviations from their means.
struct Correlation {
  double xx = 0;
  double yy = 0;
  double xy = 0;
  void add(double x, double y) {
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  double value() const { return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0; }
};

double correlation_of(const JobReplay& replay, const Means& rank_means) {
  const Job& job = replay.job();
  Correlation correlation;
  for (std::uint32_t step = 0; step < replay.steps(); ++step) {
    std::map<std::tuple<std::uint32_t, std::uint16_t, std::int64_t>, double> forward;
    for (const JobWork work : {JobWork::Forward, JobWork::Backward})
      for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place) {
        const JobOperation& done = job.steps[step].operations[place];
        if (job.kinds[done.kind].work != work)
          continue;
        const std::int64_t batch = done.micro_batch >= 0 ? done.micro_batch : done.sequence;
        const std::tuple key(done.rank, done.chunk, batch);
        const double off = replay.actual(step)[place] - rank_means.at({done.rank, done.kind});
        if (work == JobWork::Forward)
          forward[key] = off;
        else if (const auto found = forward.find(key); found != forward.end())
          correlation.add(found->second, off);
      }
  }
  return correlation.value();
}

}  // namespace

PassVariation pass_variation(const JobReplay& replay) {
  const Job& job = replay.job();
  const auto stage_of = [&](const JobOperation& done) { return job.ranks[done.rank].stage; };
  const Means of_ranks = means_by(replay, [](const JobOperation& done) { return done.rank; });
  const Means of_stages = means_by(replay, stage_of);
  const auto at = [&](std::uint32_t step, std::uint32_t place) -> const JobOperation& {
    return job.steps[step].operations[place];
  };
  const auto evened = [&](bool backward_too) {
    return mean_of(replay.replay_with([&](std::uint32_t step, std::uint32_t place) {
      const JobOperation& done = at(step, place);
      const bool even =
          is_pass(job, done) && (backward_too || job.kinds[done.kind].work == JobWork::Forward);
      return even ? of_ranks.at({done.rank, done.kind}) : replay.actual(step)[place];
    }));
  };
  const auto uneven = replay.replay_with([&](std::uint32_t step, std::uint32_t place) {
    const JobOperation& done = at(step, place);
    return is_pass(job, done) ? of_stages.at({stage_of(done), done.kind})
                              : replay.ideal(step)[place];
  });
  return {.correlation = correlation_of(replay, of_ranks),
          .step = evened(true),
          .step_forward = evened(false),
          .uneven_stages = mean_of(uneven)};
}

}  // namespace stepcast
