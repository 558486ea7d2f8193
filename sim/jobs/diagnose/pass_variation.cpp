#include "sim/jobs/diagnose/pass_variation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace stepcast {
namespace {

bool is_pass(const Job& job, const JobOperation& done) {
  const JobWork work = job.kinds[done.kind].work;
  return work == JobWork::Forward || work == JobWork::Backward;
}

/// A pass of a micro-batch on a rank: one operation, or many kernels.
struct Pass {
  std::uint32_t rank = 0;
  JobWork work = JobWork::Forward;
  std::uint16_t chunk = 0;
  std::int64_t batch = 0;
  double time = 0;
  std::uint32_t mean = 0;  ///< Into Passes::means.

  auto of_rank() const { return std::tuple(rank, work, chunk); }
  auto key() const { return std::tuple(rank, work, chunk, batch); }
};

Pass pass_of(const Job& job, const JobOperation& done) {
  const std::int64_t batch = done.micro_batch >= 0 ? done.micro_batch : done.sequence;
  return {done.rank, job.kinds[done.kind].work, done.chunk, batch};
}

/// How long the passes took, and the mean of a rank's forward or backward passes of a chunk.
struct Passes {
  std::vector<std::vector<Pass>> of_steps;                // Each in order of their keys.
  std::vector<std::vector<std::uint32_t>> of_operations;  // Into these, by step; kNoPass: none.
  std::vector<double> means;

  static constexpr std::uint32_t kNoPass = 0xffffffff;
};

/// Fills the passes of a step and which operation is of which.
void add_step(const JobReplay& replay, std::uint32_t step, Passes& passes) {
  const Job& job = replay.job();
  const auto& operations = job.steps[step].operations;
  std::vector<std::pair<Pass, std::uint32_t>> found;
  for (std::uint32_t place = 0; place < operations.size(); ++place)
    if (is_pass(job, operations[place]))
      found.emplace_back(pass_of(job, operations[place]), place);
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first.key(); });
  std::vector<Pass>& of_step = passes.of_steps.emplace_back();
  passes.of_operations.emplace_back(operations.size(), Passes::kNoPass);
  for (const auto& [pass, place] : found) {
    if (of_step.empty() || of_step.back().key() != pass.key())
      of_step.push_back(pass);
    of_step.back().time += replay.actual(step)[place];
    passes.of_operations.back()[place] = static_cast<std::uint32_t>(of_step.size() - 1);
  }
}

Passes passes_of(const JobReplay& replay) {
  Passes passes;
  for (std::uint32_t step = 0; step < replay.steps(); ++step)
    add_step(replay, step, passes);
  std::map<std::tuple<std::uint32_t, JobWork, std::uint16_t>, std::uint32_t> places;
  std::vector<double> counts;
  for (std::vector<Pass>& of_step : passes.of_steps)
    for (Pass& pass : of_step) {
      const auto next = static_cast<std::uint32_t>(counts.size());
      pass.mean = places.emplace(pass.of_rank(), next).first->second;
      passes.means.resize(places.size());
      counts.resize(places.size());
      passes.means[pass.mean] += pass.time;
      counts[pass.mean] += 1;
    }
  for (std::size_t i = 0; i < counts.size(); ++i)
    passes.means[i] /= counts[i];
  return passes;
}

/// Of what a stage did of a kind.
struct Mean {
  double sum = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return sum / count; }
};

/// Means by stage and kind.
class StageMeans {
 public:
  /// Of operations that `is_meant` holds of (a JobOperation).
  template <typename IsMeant>
  StageMeans(const JobReplay& replay, IsMeant is_meant)
      : job_(replay.job()), means_(std::size_t{job_.stages} * job_.kinds.size()) {
    replay.for_each([&](const ReplayedOperation& of) {
      if (is_meant(of.done))
        means_[number(of.done)].add(of.actual);
    });
  }

  const Mean& of(const JobOperation& done) const { return means_[number(done)]; }

 private:
  std::size_t number(const JobOperation& done) const {
    return std::size_t{job_.ranks[done.rank].stage} * job_.kinds.size() + done.kind;
  }

  const Job& job_;
  std::vector<Mean> means_;
};

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
  for (const std::vector<Pass>& of_step : passes.of_steps)
    for (const Pass& pass : of_step) {
      if (pass.work != JobWork::Forward)
        continue;
      Pass back = pass;
      back.work = JobWork::Backward;
      const auto found = std::ranges::lower_bound(of_step, back.key(), {}, &Pass::key);
      if (found != of_step.end() && found->key() == back.key())
        correlation.add(pass.time - passes.means[pass.mean],
                        found->time - passes.means[found->mean]);
    }
  return correlation.value();
}

}  // namespace

PassVariation pass_variation(const JobReplay& replay) {
  const Job& job = replay.job();
  const Passes passes = passes_of(replay);
  const StageMeans of_stages(replay, [&](const JobOperation& done) { return is_pass(job, done); });
  const auto evened = [&](bool backward_too) {
    return replay.mean_with([&](const ReplayedOperation& of) {
      const std::uint32_t number = passes.of_operations[of.step][of.place];
      if (number == Passes::kNoPass)
        return of.actual;
      const Pass& pass = passes.of_steps[of.step][number];
      if (!backward_too && pass.work == JobWork::Backward)
        return of.actual;
      return pass.time > 0 ? of.actual * passes.means[pass.mean] / pass.time : of.actual;
    });
  };
  return {.correlation = correlation_of(passes),
          .step = evened(true),
          .step_forward = evened(false),
          .uneven_stages = replay.mean_with([&](const ReplayedOperation& of) {
            return is_pass(job, of.done) ? of_stages.of(of.done).value() : of.ideal;
          })};
}

}  // namespace stepcast
