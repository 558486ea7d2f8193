#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/base/components.hpp"
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

// Cost: a look at each bound and end, and a round over the pairs for each message on the longest
// way.

namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // The lower one first.

/// Seconds by which the second clock of a pair may be moved ahead and back.
struct Slack {
  double ahead = INFINITY;
  double back = INFINITY;

  double most() const { return std::max(ahead, back); }
};

bool spans_messages(const CommonEnd& common, const std::map<Pair, Slack>& pairs) {
  return std::ranges::any_of(pairs, [&](const auto& pair) {
    const auto has = [&](std::uint32_t host) {
      return std::ranges::find(common.seen, host, &EndSeen::host) != common.seen.end();
    };
    return has(pair.first.first) && has(pair.first.second);
  });
}

}  // namespace

std::vector<double> ClockFit::widths_by_host() const {
  std::map<Pair, Slack> pairs;
  for (const ClockBound& bound : evidence_.bounds)
    if (bound.message) {
      Slack& slack = pairs[std::minmax(bound.before, bound.after)];
      double& side = bound.before < bound.after ? slack.ahead : slack.back;
      const double ahead = correction(bound.after, bound.step, bound.at) -
                           correction(bound.before, bound.step, bound.at);
      side = std::min(side, std::max(0.0, bound.most - ahead));
    }
  std::erase_if(pairs, [](const auto& pair) { return !std::isfinite(pair.second.most()); });
  std::vector<double> widths(offsets_.size(), 0);
  if (pairs.empty())
    return widths;
  Components joined(evidence_.hosts);
  for (const CommonEnd& common : evidence_.ends)
    if (!spans_messages(common, pairs))
      for (const EndSeen& seen : common.seen)
        joined.join(common.seen.front().host, seen.host);
  for (std::uint32_t host = 0; host < widths.size(); ++host)
    widths[host] = joined.of(host) == joined.of(first_of_part(host)) ? 0 : INFINITY;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [pair, slack] : pairs)
      for (const auto& [from, to] : {pair, Pair(pair.second, pair.first)})
        for (std::uint32_t host = 0; host < widths.size(); ++host)
          if (joined.of(host) == joined.of(to) && widths[host] > widths[from] + slack.most()) {
            widths[host] = widths[from] + slack.most();
            changed = true;
          }
  }
  for (double& width : widths)
    width = std::isfinite(width) ? width : 0;
  return widths;
}

std::uint32_t ClockFit::first_of_part(std::uint32_t host) const {
  return static_cast<std::uint32_t>(std::ranges::find(parts_, parts_[host]) - parts_.begin());
}

}  // namespace stepcast
