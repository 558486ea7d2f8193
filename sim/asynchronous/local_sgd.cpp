#include "sim/asynchronous/local_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/asynchronous/group_meetings.hpp"

namespace stepcast {
namespace {

bool averages_after(const LocalSgdOptions& options, std::uint32_t k) {
  return k < options.in_step || (k - options.in_step + 1) % options.local_steps == 0;
}

std::string to_average(Rank) {
  return "to average with all";
}

class LocalSgd {
 public:
  LocalSgd(const ProtocolJob& job, const LocalSgdOptions& options)
      : options_(options), world_(job), meetings_(world_, {}) {
    all_.resize(job.workers);
    std::iota(all_.begin(), all_.end(), 0U);
    world_.check_with(entry_of<&LocalSgd::check>(this));
  }

  ProtocolRun run() {
    return world_.run([this](Rank i) { return worker(i); },
                      [this] { return world_.deadlock("local-sgd", to_average); });
  }

 private:
  Actor worker(Rank i) {
    std::uint32_t averaged = 0;
    for (std::uint32_t k = 0; k < world_.job().iterations; ++k) {
      world_.begin(i, k);
      co_await world_.compute(i, k);
      if (world_.job().reduce > Seconds{})
        co_await world_.sleep(world_.job().reduce);
      if (averages_after(options_, k + world_.job().before)) {
        const std::uint32_t meeting = averaged++;
        if (meeting == planned_ && ++planned_ > 0)
          meetings_.plan(all_);
        meetings_.arrive(meeting);
        while (!meetings_.is_over(meeting))
          co_await world_.wait(i, Cause::Others);
        world_.used(0);
      }
      world_.finish(i);
    }
  }

  // Nobody is further ahead than the local steps.
  void check() const {
    for (const Rank i : all_)
      if (world_.iteration_of(i) > world_.least_iteration() + options_.local_steps)
        throw std::logic_error("a worker went on without the others");
  }

  const LocalSgdOptions& options_;
  World world_;
  GroupMeetings meetings_;
  std::vector<Rank> all_;
  std::uint32_t planned_ = 0;
};

}  // namespace

std::vector<LocalSgdStage> stages_of(const LocalSgdStages& stages, std::uint32_t local_steps) {
  constexpr double kMost = 1e9;
  constexpr double kRounding = 1e-9;  // powers of square roots meet whole numbers
  std::vector<LocalSgdStage> all;
  double sum = 0;
  for (std::uint32_t s = 0; s < stages.count; ++s) {
    const double iterations = std::round(stages.first * std::pow(stages.growth, s));
    sum += iterations;
    if (!(sum <= kMost))
      throw InputError(fmt::format(
          "stages: expected at most {:g} iterations of all stages, found more in stage {}", kMost,
          s + 1));
    const double period =
        stages.period_grows ? local_steps * std::pow(stages.growth, s / 2.0) : local_steps;
    all.push_back({static_cast<std::uint32_t>(iterations),
                   static_cast<std::uint32_t>(std::clamp(std::floor(period + kRounding), 1.0,
                                                         std::max(iterations, 1.0)))});
  }
  return all;
}

ProtocolRun run_local_sgd(const ProtocolJob& job, const LocalSgdOptions& options) {
  return LocalSgd(job, options).run();
}

std::vector<Seconds> local_sgd_times(const ProtocolJob& job, const LocalSgdOptions& options,
                                     std::uint64_t first_seed, std::uint32_t seeds) {
  std::vector<Rank> all(job.workers);
  std::iota(all.begin(), all.end(), 0U);
  const Seconds average = job.workers > 1 ? job.traffic.all_reduce(all) : Seconds{};
  std::vector<Seconds> times;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    SlowDown slow = job.slow_down;
    slow.seed = seed;
    std::vector<Seconds> ends(job.workers);
    for (std::uint32_t k = 0; k < job.iterations; ++k) {
      for (const Rank i : all)
        ends[i] += compute_time(job, slow, i, k) + job.reduce;
      if (averages_after(options, k + job.before))
        std::ranges::fill(ends, *std::ranges::max_element(ends) + average);
    }
    times.push_back(*std::ranges::max_element(ends) / job.iterations);
  }
  return times;
}

}  // namespace stepcast
