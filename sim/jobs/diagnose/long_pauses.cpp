#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "models/base/statistics.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/counted_delays.hpp"
#include "sim/jobs/diagnose/verdict.hpp"

namespace stepcast {
namespace {

struct LongPauses {
  std::size_t count = 0;
  double longest = 0;  // Seconds.
  double step = 0;     // Seconds: the step without them, all other delays as recorded.
};

std::vector<std::vector<double>> delays_of_steps(const JobReplay& replay) {
  std::vector<std::vector<double>> delays;
  for (std::size_t step = 0; step < replay.steps(); ++step)
    delays.push_back(delays_that_count(replay, step));
  return delays;
}

LongPauses long_pauses(const JobReplay& replay) {
  constexpr double kOfStep = 0.02;
  constexpr double kOfUsual = 10;
  constexpr std::size_t kFewest = 3;
  const Job& job = replay.job();
  const std::vector<std::vector<double>> of_steps = delays_of_steps(replay);
  std::vector<double> delays;
  for (const std::vector<double>& of_step : of_steps)
    std::ranges::copy(of_step, std::back_inserter(delays));
  if (std::ranges::none_of(delays, [](double delay) { return delay > 0; }))
    return {};
  const double least =
      std::max(kOfStep * median_of(replay.delayed()), kOfUsual * median_of(std::move(delays)));
  // A receive may have been asked for late while its rank computed.
  const auto pauses = [&](std::size_t step, std::size_t place) {
    const JobOperation& done = job.steps[step].operations[place];
    const bool message =
        done.meeting != kNoMeeting && job.steps[step].meetings[done.meeting].message;
    return of_steps[step][place] > least && !message;
  };
  LongPauses found;
  std::set<std::uint32_t> paused;
  std::vector<bool> meant(replay.steps());  // Steps in which few ranks pause.
  for (std::size_t step = 0; step < replay.steps(); ++step) {
    std::set<std::uint32_t> ranks;
    std::size_t count = 0;
    for (std::size_t place = 0; place < of_steps[step].size(); ++place)
      if (pauses(step, place)) {
        ranks.insert(job.steps[step].operations[place].rank);
        found.longest = std::max(found.longest, of_steps[step][place]);
        ++count;
      }
    meant[step] = 4 * ranks.size() <= job.ranks.size();
    if (meant[step]) {
      found.count += count;
      paused.merge(ranks);
    }
  }
  if (found.count < kFewest || paused.size() < 2)
    return {};
  found.step = mean_of(replay.delayed_with([&](const ReplayedOperation& of) {
    return meant[of.step] && pauses(of.step, of.place) ? 0 : of_steps[of.step][of.place];
  }));
  return found;
}

}  // namespace

std::optional<JobVerdict> pauses_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                         const VerdictThresholds& thresholds) {
  const LongPauses pauses = long_pauses(replay);
  const double simulated = mean_of(replay.delayed());
  const double gained = simulated - pauses.step;
  const double all = simulated - diagnosis.undelayed_step.value;
  if (pauses.count == 0 || gained <= thresholds.explained * all)
    return std::nullopt;
  return JobVerdict{
      VerdictKind::Host, "",
      fmt::format("Pauses of the host (garbage collection, for example): {} times a rank stands "
                  "still for up to {}, now one and now another. Without these a step takes {} "
                  "instead of {}.",
                  pauses.count, format_seconds(Seconds{pauses.longest}),
                  format_seconds(Seconds{pauses.step}), format_seconds(Seconds{simulated}))};
}

}  // namespace stepcast
