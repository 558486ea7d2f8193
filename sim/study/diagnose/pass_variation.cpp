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

/// A pass of a micro-batch on a rank: one operation, or many kernels.
using Pass = std::tuple<std::uint32_t, std::uint32_t, JobWork, std::uint16_t, std::int64_t>;

Pass pass_of(const Job& job, std::uint32_t step, const JobOperation& done) {
  const std::int64_t batch = done.micro_batch >= 0 ? done.micro_batch : done.sequence;
  return {step, done.rank, job.kinds[done.kind].work, done.chunk, batch};
}

/// How long the passes took, and the mean of a rank's forward or backward passes of a chunk.
struct Passes {
  std::map<Pass, double> times;
  std::map<std::tuple<std::uint32_t, JobWork, std::uint16_t>, double> means;

  double mean_of_rank(const Pass& pass) const {
    return means.at({std::get<1>(pass), std::get<2>(pass), std::get<3>(pass)});
  }
};

Passes passes_of(const JobReplay& replay) {
  Passes passes;
  const Job& job = replay.job();
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place) {
      const JobOperation& done = job.steps[step].operations[place];
      if (is_pass(job, done))
        passes.times[pass_of(job, step, done)] += replay.actual(step)[place];
    }
  std::map<std::tuple<std::uint32_t, JobWork, std::uint16_t>, double> counts;
  for (const auto& [pass, time] : passes.times) {
    const std::tuple key(std::get<1>(pass), std::get<2>(pass), std::get<3>(pass));
    passes.means[key] += time;
    counts[key] += 1;
  }
  for (auto& [key, mean] : passes.means)
    mean /= counts[key];
  return passes;
}

/// Means of what belongs to passes, by stage and kind.
std::map<std::pair<std::uint32_t, std::uint16_t>, double> stage_means(const JobReplay& replay) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::pair<double, double>> sums;
  const Job& job = replay.job();
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place) {
      const JobOperation& done = job.steps[step].operations[place];
      if (!is_pass(job, done))
        continue;
      auto& [sum, count] = sums[{job.ranks[done.rank].stage, done.kind}];
      sum += replay.actual(step)[place];
      count += 1;
    }
  std::map<std::pair<std::uint32_t, std::uint16_t>, double> means;
  for (const auto& [key, sum] : sums)
    means[key] = sum.first / sum.second;
  return means;
}

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

double correlation_of(const Passes& passes) {
  Correlation correlation;
  for (const auto& [pass, time] : passes.times) {
    if (std::get<2>(pass) != JobWork::Forward)
      continue;
    Pass back = pass;
    std::get<2>(back) = JobWork::Backward;
    if (const auto found = passes.times.find(back); found != passes.times.end())
      correlation.add(time - passes.mean_of_rank(pass), found->second - passes.mean_of_rank(back));
  }
  return correlation.value();
}

}  // namespace

PassVariation pass_variation(const JobReplay& replay) {
  const Job& job = replay.job();
  const Passes passes = passes_of(replay);
  const auto of_stages = stage_means(replay);
  const auto at = [&](std::uint32_t step, std::uint32_t place) -> const JobOperation& {
    return job.steps[step].operations[place];
  };
  const auto evened = [&](bool backward_too) {
    return mean_of(replay.replay_with([&](std::uint32_t step, std::uint32_t place) {
      const JobOperation& done = at(step, place);
      const double actual = replay.actual(step)[place];
      if (!is_pass(job, done) || (!backward_too && job.kinds[done.kind].work == JobWork::Backward))
        return actual;
      const Pass pass = pass_of(job, step, done);
      const double whole = passes.times.at(pass);
      return whole > 0 ? actual * passes.mean_of_rank(pass) / whole : actual;
    }));
  };
  const auto uneven = replay.replay_with([&](std::uint32_t step, std::uint32_t place) {
    const JobOperation& done = at(step, place);
    return is_pass(job, done) ? of_stages.at({job.ranks[done.rank].stage, done.kind})
                              : replay.ideal(step)[place];
  });
  return {.correlation = correlation_of(passes),
          .step = evened(true),
          .step_forward = evened(false),
          .uneven_stages = mean_of(uneven)};
}

double step_as_their_stages(const JobReplay& replay, const std::vector<std::uint32_t>& ranks) {
  const Job& job = replay.job();
  std::vector<bool> is_meant(job.ranks.size());
  for (const std::uint32_t rank : ranks)
    is_meant[rank] = true;
  const auto kind_of = [&](const JobOperation& done) {
    return std::pair(job.ranks[done.rank].stage, done.kind);
  };
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::pair<double, double>> others;
  for (std::uint32_t step = 0; step < job.steps.size(); ++step)
    for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place)
      if (const JobOperation& done = job.steps[step].operations[place]; !is_meant[done.rank]) {
        auto& [sum, count] = others[kind_of(done)];
        sum += replay.actual(step)[place];
        ++count;
      }
  return mean_of(replay.replay_with([&](std::uint32_t step, std::uint32_t place) {
    const JobOperation& done = job.steps[step].operations[place];
    const bool computes = job.kinds[done.kind].work != JobWork::Transfer;
    const auto found = others.find(kind_of(done));
    return is_meant[done.rank] && computes && found != others.end()
               ? found->second.first / found->second.second
               : replay.actual(step)[place];
  }));
}

}  // namespace stepcast
