#include "traces/stalled_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/text.hpp"

// A recording of a few steps holds stalls (the data loader, a checkpoint, garbage collection) as
// they came: how often they come in a long run it does not tell. So every command takes the usual
// step for the step and names the stalls beside it. The lower quartile is a usual step as long as
// not more than three quarters of the steps stall. 1.5 is assumed: steps of one model whose
// sequences differ in length lie closer together, and those that do not compute longer, too.

namespace stepcast {

std::vector<bool> find_stalled(std::span<const StepPace> steps) {
  constexpr double kStalled = 1.5;
  constexpr double kExplained = 0.5;  // Of what a step takes longer, by what it computes longer.
  constexpr std::size_t kFewest = 2;
  std::vector<bool> stalled(steps.size());
  if (steps.empty())
    return stalled;
  std::vector<StepPace> sorted(steps.begin(), steps.end());
  std::ranges::stable_sort(sorted, {}, &StepPace::length);
  const StepPace& usual = sorted[(sorted.size() - 1) / 4];
  std::size_t count = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Seconds longer = steps[i].length - usual.length;
    stalled[i] = steps[i].length > usual.length * kStalled &&
                 steps[i].computing - usual.computing < longer * kExplained;
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
      "{} of {} steps {} ({}): more than 1.5 times as long as usual, with no more computed. The "
      "usual step, a mean of the other {}, takes {}; the mean of all is {}.",
      pace.stalled_steps, pace.stalled_steps + pace.usual_steps, one ? "stalls" : "stall",
      one ? format_seconds(pace.stalled)
          : fmt::format("{} to {}, {} on average", format_seconds(pace.shortest),
                        format_seconds(pace.longest), format_seconds(pace.stalled)),
      pace.usual_steps, format_seconds(pace.usual), format_seconds(pace.all));
}

}  // namespace stepcast
