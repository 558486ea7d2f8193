#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/base/components.hpp"
#include "traces/job/clock/clock_fit.hpp"

// Cost: a look at each bound and end, and a round over the pairs for each message on the longest
// way.

namespace stepcast {
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
