#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/jobs/diagnose/verdict.hpp"

namespace stepcast {
namespace {

/// The largest amount over the mean; 1: alike, or not known of all.
double ratio_of(const JobMeeting& meeting, const JobStep& step, const Job& job) {
  Bytes largest{};
  Bytes sum{};
  for (const std::uint32_t member : meeting.members) {
    const Bytes size = job.kinds[step.operations[member].kind].size;
    if (!(size > Bytes{}))
      return 1;
    largest = std::max(largest, size);
    sum += size;
  }
  return largest / sum * static_cast<double>(meeting.members.size());
}

struct UnevenCollectives {
  std::string part;  // The kind that is most uneven; empty: there are none.
  double ratio = 1;  // The largest amount over the mean, of that collective.
  double step = 0;   // Seconds: the step if all sent the mean.
};

UnevenCollectives uneven_collectives(const JobReplay& replay) {
  const Job& job = replay.job();
  UnevenCollectives found;
  std::vector<std::vector<double>> shares;  // Of the time, by step and operation.
  for (std::size_t number = 0; number < replay.steps(); ++number) {
    const JobStep& step = job.steps[number];
    shares.emplace_back(step.operations.size(), 1.0);
    for (const JobMeeting& meeting : step.meetings) {
      const double ratio = meeting.message ? 1 : ratio_of(meeting, step, job);
      for (const std::uint32_t member : meeting.members)
        shares.back()[member] = 1 / ratio;
      if (ratio > found.ratio) {
        found.ratio = ratio;
        found.part = job.kinds[step.operations[meeting.members.front()].kind].part;
      }
    }
  }
  if (!found.part.empty())
    found.step = replay.mean_with(
        [&](const ReplayedOperation& of) { return of.actual * shares[of.step][of.place]; });
  return found;
}

}  // namespace

std::optional<JobVerdict> collectives_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                              const VerdictThresholds& thresholds) {
  const UnevenCollectives uneven = uneven_collectives(replay);
  const double whole = diagnosis.undelayed_step.value;
  if (uneven.part.empty() || whole - uneven.step <= thresholds.delays * whole)
    return std::nullopt;
  return JobVerdict{
      VerdictKind::Collectives, uneven.part,
      fmt::format("Uneven collectives: in {} the rank with most sends up to {:.2f} times the mean, "
                  "and the others wait for it. If all sent as much a step takes {} instead of {}.",
                  uneven.part, uneven.ratio, format_seconds(Seconds{uneven.step}),
                  format_seconds(diagnosis.undelayed_step))};
}

}  // namespace stepcast
