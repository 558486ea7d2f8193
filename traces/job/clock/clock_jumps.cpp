#include "traces/job/clock/clock_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "traces/job/medians.hpp"

// Cost: every bound is looked at once, n log of the number of pairs of hosts.

namespace stepcast {
namespace {

constexpr double kLeastJump = 1e-3;  // Seconds: daemons slew what is less.
constexpr double kMostDrift = 5e-4;  // Seconds a second, by which they slew.
constexpr double kNowhere = INFINITY;

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // The lower host first.

/// What a step says of how far the second host's clock is ahead of the first's. Of several bounds
/// the last but one counts: what lost events joined wrongly contradicts all others.
struct Range {
  double least = -kNowhere;
  double most = kNowhere;
  double second_least = -kNowhere;
  double second_most = kNowhere;

  void at_least(double ahead) {
    second_least = std::max(second_least, std::min(least, ahead));
    least = std::max(least, ahead);
  }
  void at_most(double ahead) {
    second_most = std::min(second_most, std::max(most, ahead));
    most = std::min(most, ahead);
  }
};

struct Contradiction {
  Pair pair;
  double seconds = 0;
};

class Jumps {
 public:
  explicit Jumps(const ClockEvidence& evidence) : evidence_(evidence) {}

  std::vector<ClockJump> run() {
    auto next = evidence_.bounds.begin();
    for (std::uint32_t step = 0; step < evidence_.begins.size(); ++step) {
      std::map<Pair, Range> ranges;
      double first = kNowhere;
      double last = -kNowhere;
      for (; next != evidence_.bounds.end() && next->step == step; ++next) {
        if (next->before < next->after)
          ranges[{next->before, next->after}].at_most(next->most);
        else
          ranges[{next->after, next->before}].at_least(-next->most);
        first = std::min(first, next->at);
        last = std::max(last, next->at);
      }
      compare(step, ranges, kLeastJump + kMostDrift * std::max(0.0, last - first));
    }
    return std::move(jumps_);
  }

 private:
  struct Before {
    Range range;
    double begin = 0;
  };

  /// With itself and with what each pair said last.
  void compare(std::uint32_t step, const std::map<Pair, Range>& ranges, double tolerance) {
    std::vector<Contradiction> within;
    std::vector<Contradiction> since;
    for (const auto& [pair, range] : ranges) {
      if (const double by = range.second_least - range.second_most; by > tolerance) {
        within.push_back({pair, by});
        continue;
      }
      const auto [known, added] = before_.try_emplace(pair, Before{range, evidence_.begins[step]});
      if (added)
        continue;
      const Range& last = known->second.range;
      const double drifted = kMostDrift * (evidence_.begins[step] - known->second.begin);
      const double by = std::max(last.least - range.most, range.least - last.most);
      if (by > tolerance + drifted)
        since.push_back({pair, by});
      known->second = {range, evidence_.begins[step]};
    }
    add_jumps(std::move(within), step, true);
    std::erase_if(since, [&](const Contradiction& each) {
      return std::ranges::any_of(jumps_, [&](const ClockJump& jump) {
        return jump.step == step && (jump.host == each.pair.first || jump.host == each.pair.second);
      });
    });
    add_jumps(std::move(since), step, false);
  }

  /// By how much the ends of a host have moved against its groups' since the step before, in
  /// milliseconds: that of one clock does not move the middle of several.
  double moved(std::uint32_t host, std::uint32_t step) const {
    double least = kNowhere;
    double most = -kNowhere;
    const auto first =
        std::ranges::lower_bound(evidence_.ends, step == 0 ? 0 : step - 1, {}, &CommonEnd::step);
    for (auto common = first; common != evidence_.ends.end() && common->step <= step; ++common) {
      std::vector<double> ends;
      std::optional<double> own;
      for (const EndSeen& seen : common->seen) {
        ends.push_back(seen.end);
        if (seen.host == host)
          own = seen.end;
      }
      if (!own)
        continue;
      const double ahead = *own - middle_of(std::move(ends));
      least = std::min(least, ahead);
      most = std::max(most, ahead);
    }
    return std::round(1e3 * std::max(0.0, most - least));
  }

  /// The clock that moved most jumped, of several that of most contradictions, until none is left.
  void add_jumps(std::vector<Contradiction> found, std::uint32_t step, bool within) {
    std::map<std::uint32_t, double> moves;
    while (!found.empty()) {
      std::map<std::uint32_t, std::size_t> counts;
      for (const Contradiction& each : found)
        for (const std::uint32_t host : {each.pair.first, each.pair.second})
          ++counts[host];
      std::pair<double, std::size_t> most;
      ClockJump jump{.host = counts.begin()->first, .step = step, .within = within};
      for (const auto& [host, count] : counts) {
        const auto [known, added] = moves.try_emplace(host, 0.0);
        if (added)
          known->second = moved(host, step);
        // The first host's clock is that of all: of two it is the other's that jumped.
        if (std::pair(known->second, count) >= most) {
          most = {known->second, count};
          jump.host = host;
        }
      }
      std::erase_if(found, [&](const Contradiction& each) {
        const bool is_of = each.pair.first == jump.host || each.pair.second == jump.host;
        if (is_of && each.seconds > jump.seconds) {
          jump.seconds = each.seconds;
          jump.other = each.pair.first == jump.host ? each.pair.second : each.pair.first;
        }
        return is_of;
      });
      jumps_.push_back(jump);
      std::erase_if(before_, [&](const auto& known) {
        return known.first.first == jump.host || known.first.second == jump.host;
      });
    }
  }

  const ClockEvidence& evidence_;
  std::map<Pair, Before> before_;
  std::vector<ClockJump> jumps_;
};

}  // namespace

std::vector<ClockJump> clock_jumps(const ClockEvidence& evidence) {
  return Jumps(evidence).run();
}

}  // namespace stepcast
