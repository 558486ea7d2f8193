#include "traces/stalled_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/text.hpp"

// A recording of a few steps holds stalls (the data loader, a checkpoint, garbage collection) as
// they came: how often they come in a long run it does not tell. So every command takes the usual
// step for the step and names the stalls beside it. The lower quartile is a usual step as long as
// not more than three quarters of the steps stall. Only steps whose length their computation does
// not explain can stall. A step of more than 1.5 times the lower quartile does: steps of one model
// whose sequences differ in length lie closer together. A shorter one does if a gap parts it from
// the usual steps. The gap must be three times as wide as the steps below it lie apart, so that
// scattered steps have none, and a tenth of the step, so that equal ones do not stall by jitter.

namespace stepcast {
namespace {

constexpr double kStalled = 1.5;    // Times the usual step: stalled without a gap.
constexpr double kLeastGap = 0.1;   // Of the usual step.
constexpr double kGap = 3;          // Times the range of the steps below the gap.
constexpr double kExplained = 0.5;  // Of what a step takes longer, by what it computes longer.

bool is_explained(const StepPace& step, const StepPace& usual) {
  return step.length > usual.length &&
         step.computing - usual.computing >= (step.length - usual.length) * kExplained;
}

/// The length above which steps stall. Precondition: ascending, the usual one among them.
Seconds longest_usual(const std::vector<StepPace>& sorted, const StepPace& usual) {
  std::vector<Seconds> lengths;
  for (const StepPace& step : sorted)
    if (!is_explained(step, usual))
      lengths.push_back(step.length);
  const Seconds most = usual.length * kStalled;
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    const Seconds apart = lengths[i] - lengths.front();
    const Seconds least = std::max(usual.length * kLeastGap, apart * kGap);
    if (lengths[i] >= usual.length && lengths[i + 1] - lengths[i] > least)
      return std::min(most, lengths[i]);
  }
  return most;
}

}  // namespace

std::vector<bool> find_stalled(std::span<const StepPace> steps) {
  constexpr std::size_t kFewest = 2;
  std::vector<bool> stalled(steps.size());
  if (steps.empty())
    return stalled;
  std::vector<StepPace> sorted(steps.begin(), steps.end());
  std::ranges::stable_sort(sorted, {}, &StepPace::length);
  const StepPace& usual = sorted[(sorted.size() - 1) / 4];
  const Seconds most = longest_usual(sorted, usual);
  std::size_t count = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    stalled[i] = steps[i].length > most && !is_explained(steps[i], usual);
    count += stalled[i] ? 1 : 0;
  }
  const std::size_t left = steps.size() - count;
  if (left < kFewest || 4 * left < steps.size())
    stalled.assign(steps.size(), false);
  return stalled;
}

RecordedPace pace_of(std::span<const Seconds> lengths, const std::vector<bool>& stalled) {
  RecordedPace pace;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Seconds length = lengths[i];
    pace.all += length;
    if (!stalled[i]) {
      pace.usual += length;
      ++pace.usual_steps;
      continue;
    }
    pace.shortest = pace.stalled_steps == 0 ? length : std::min(pace.shortest, length);
    pace.longest = std::max(pace.longest, length);
    pace.stalled += length;
    ++pace.stalled_steps;
  }
  const auto mean = [](Seconds sum, std::size_t count) {
    return count == 0 ? Seconds{} : sum / static_cast<double>(count);
  };
  pace.usual = mean(pace.usual, pace.usual_steps);
  pace.stalled = mean(pace.stalled, pace.stalled_steps);
  pace.all = mean(pace.all, lengths.size());
  return pace;
}

std::string describe(const RecordedPace& pace) {
  if (pace.stalled_steps == 0)
    return "";
  const bool one = pace.stalled_steps == 1;
  return fmt::format(
      "{} of {} steps {} ({}): much longer than usual, with no more computed. The usual step, a "
      "mean of the other {}, takes {}; the mean of all is {}.",
      pace.stalled_steps, pace.stalled_steps + pace.usual_steps, one ? "stalls" : "stall",
      one ? format_seconds(pace.stalled)
          : fmt::format("{} to {}, {} on average", format_seconds(pace.shortest),
                        format_seconds(pace.longest), format_seconds(pace.stalled)),
      pace.usual_steps, format_seconds(pace.usual), format_seconds(pace.all));
}

}  // namespace stepcast
