#include <algorithm>
#include <cmath>

#include "traces/job/clock/clock_fit.hpp"

// What nobody could have ended before. Cost: a round looks at every bound once; at most 100 rounds.

namespace stepcast {

/// By how much the clock behind the bound may still be moved ahead.
double ClockFit::slack_of(const ClockBound& bound) const {
  const double at = begins_[bound.step] + bound.at;
  const double gained = (drifts_[bound.after] - drifts_[bound.before]) * at;
  return bound.most - (offsets_[bound.after] - offsets_[bound.before] + gained);
}

/// Two parts between which messages go both ways: the second moves to the middle of what they
/// allow.
void ClockFit::bridge_by_messages() {
  for (bool moved = true; moved;) {
    moved = false;
    for (const ClockBound& bound : evidence_.bounds) {
      const std::uint32_t from = std::min(parts_[bound.before], parts_[bound.after]);
      const std::uint32_t to = std::max(parts_[bound.before], parts_[bound.after]);
      if (from == to)
        continue;
      double most = INFINITY;  // By how much the part may be moved ahead, and back.
      double least = -INFINITY;
      for (const ClockBound& other : evidence_.bounds) {
        const double slack = slack_of(other);
        if (parts_[other.before] == from && parts_[other.after] == to)
          most = std::min(most, slack);
        if (parts_[other.before] == to && parts_[other.after] == from)
          least = std::max(least, -slack);
      }
      if (!std::isfinite(most) || !std::isfinite(least))
        continue;
      for (std::uint32_t host = 0; host < offsets_.size(); ++host)
        if (parts_[host] == to) {
          offsets_[host] += (most + least) / 2;
          parts_[host] = from;
        }
      moved = true;
      break;
    }
  }
}

void ClockFit::obey_bounds() {
  constexpr int kRounds = 100;
  constexpr double kNothing = 1e-9;
  if (by_step())
    return;  // Each step has its own offsets, to which bounds of all steps do not apply.
  const std::vector<double> offsets = offsets_;
  const std::size_t violated = violations();
  for (int round = 0; round < kRounds; ++round) {
    double worst = 0;
    for (const ClockBound& bound : evidence_.bounds) {
      const double excess = -slack_of(bound);
      if (excess <= kNothing)
        continue;
      offsets_[bound.after] -= excess / 2;
      offsets_[bound.before] += excess / 2;
      worst = std::max(worst, excess);
    }
    if (worst == 0)
      break;
  }
  if (violations() > violated)
    offsets_ = offsets;
}

/// How often something ended before all had begun.
std::size_t ClockFit::violations() const {
  std::size_t count = 0;
  const auto begin_of = [&](const CommonEnd& common, const EndSeen& seen) {
    return seen.begin - correction(seen.host, common.step, seen.begin);
  };
  const auto add = [&](const CommonEnd& common) {
    double last = begin_of(common, common.seen.front());
    for (const EndSeen& seen : common.seen)
      last = common.message ? last : std::max(last, begin_of(common, seen));
    for (const EndSeen& seen : common.seen)
      count += true_end(seen, common.step) < last ? 1 : 0;
  };
  std::ranges::for_each(evidence_.ends, add);
  std::ranges::for_each(evidence_.messages, add);
  return count;
}

/// Once bounds have moved the offsets.
std::size_t ClockFit::violations_left() const {
  ClockFit obeying = *this;
  obeying.obey_bounds();
  return obeying.violations();
}

}  // namespace stepcast
