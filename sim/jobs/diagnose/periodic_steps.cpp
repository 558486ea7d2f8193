#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/statistics.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/diagnose/verdict.hpp"

namespace stepcast {
namespace {

struct PeriodicSteps {
  std::vector<std::string> names;  // Empty: there are none.
  std::uint64_t every = 0;         // One step in so many.
  double longer = 0;               // Their mean, in seconds,
  double others = 0;               // and that of the other steps.
};

bool is_pass_or_transfer(JobWork work) {
  return work != JobWork::Compute && work != JobWork::Host;
}

/// By step and kind the median over what was done: what one rank does slowly is none of it. 0 of
/// passes and transfers.
std::vector<std::vector<double>> usual_of_steps(const JobReplay& replay) {
  const std::size_t kinds = replay.job().kinds.size();
  std::vector<std::vector<std::vector<double>>> times(replay.steps(),
                                                      std::vector<std::vector<double>>(kinds));
  replay.for_each([&](const ReplayedOperation& of) {
    if (!is_pass_or_transfer(of.kind.work))
      times[of.step][of.done.kind].push_back(of.actual);
  });
  std::vector<std::vector<double>> usual(replay.steps());
  for (std::size_t step = 0; step < usual.size(); ++step)
    for (std::vector<double>& of_kind : times[step])
      usual[step].push_back(of_kind.empty() ? 0 : median_of(std::move(of_kind)));
  return usual;
}

/// By step as replayed with all delays, but with passes and transfers as long as their kind usually
/// takes: checkpoints are neither, and ranks or networks that are slow now and then none of it.
std::vector<double> times_of(const JobReplay& replay) {
  std::vector<double> times = replay.delayed();
  const auto usual = usual_of_steps(replay);
  const auto real = replay.replay_if([](const JobOperation&) { return true; });
  const auto even = replay.replay_with([&](const ReplayedOperation& of) {
    return is_pass_or_transfer(of.kind.work) ? of.ideal : usual[of.step][of.done.kind];
  });
  for (std::size_t step = 0; step < times.size(); ++step)
    times[step] -= real[step] - even[step];
  return times;
}

PeriodicSteps periodic_steps(const JobReplay& replay) {
  constexpr double kLong = 1.2;
  constexpr std::size_t kFewest = 3;
  const std::vector<double> times = times_of(replay);
  const std::vector<JobStep>& steps = replay.job().steps;
  const auto since_first = [&](std::size_t step) {
    return steps[step].number - steps.front().number;
  };
  const double usual = median_of(times);
  std::vector<std::size_t> places;
  for (std::size_t step = 0; step < times.size(); ++step)
    if (times[step] > kLong * usual)
      places.push_back(step);
  if (places.size() < kFewest || 2 * places.size() >= times.size())
    return {};
  PeriodicSteps found;
  found.every = since_first(places[1]) - since_first(places[0]);
  for (std::size_t i = 2; i < places.size(); ++i)
    found.every = std::min(found.every, since_first(places[i]) - since_first(places[i - 1]));
  const std::uint64_t rest = since_first(places.front()) % found.every;
  for (std::size_t step = 0; step < times.size(); ++step) {
    const bool is_long = times[step] > kLong * usual;
    if (is_long != (since_first(step) % found.every == rest))
      return {};
    (is_long ? found.longer : found.others) += times[step];
    if (is_long)
      found.names.push_back(steps[step].name);
  }
  const auto count = static_cast<double>(places.size());
  found.longer /= count;
  found.others /= static_cast<double>(times.size()) - count;
  return found;
}

}  // namespace

std::optional<JobVerdict> checkpoints_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                              const VerdictThresholds& thresholds) {
  const PeriodicSteps found = periodic_steps(replay);
  const double whole = mean_of(replay.delayed());
  const double more = whole - found.others;
  if (found.names.empty() || more <= thresholds.delays * whole ||
      more <= thresholds.explained * (whole - diagnosis.ideal_step.value))
    return std::nullopt;
  const std::string subject = fmt::format("one step in {}", found.every);
  const std::string others = format_seconds(Seconds{found.others});
  return JobVerdict{
      VerdictKind::Checkpoints, subject,
      fmt::format("Checkpoints, or what else comes in {}: steps {}, {}, {}{} take {} on average, "
                  "the others {}. Without it a step takes {} instead of {}.",
                  subject, found.names[0], found.names[1], found.names[2],
                  found.names.size() > 3 ? " .." : "", format_seconds(Seconds{found.longer}),
                  others, others, format_seconds(Seconds{whole}))};
}

}  // namespace stepcast
