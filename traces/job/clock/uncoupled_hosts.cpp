#include "traces/job/clock/uncoupled_hosts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "traces/job/medians.hpp"

// Cost: n log n in hosts and steps; a look at each end.

namespace stepcast {
namespace {

constexpr double kFar = 10;
constexpr double kLeastMove = 1e-4;   // Seconds: of clocks.
constexpr double kLeastApart = 1e-3;  // Of ends: those of one collective may differ by less.

/// Those whose offsets against the first host scatter by far more than all others'.
std::vector<std::uint32_t> hosts_apart(const StepOffsets& offsets) {
  std::vector<std::pair<double, std::uint32_t>> scatters = {{0, 0}};
  for (std::uint32_t host = 1; host < offsets.hosts(); ++host) {
    if (offsets.first_of(host) != 0)
      return {};
    scatters.emplace_back(scatter_of(offsets.of(host, 0, offsets.steps())), host);
  }
  std::ranges::sort(scatters);
  std::size_t first = 1;
  while (first < scatters.size() &&
         scatters[first].first < std::max(kLeastMove, kFar * scatters[first - 1].first))
    ++first;
  std::vector<std::uint32_t> apart;
  for (std::size_t i = first; i < scatters.size() && std::isfinite(scatters[i].first); ++i)
    apart.push_back(scatters[i].second);
  std::ranges::sort(apart);
  return apart;
}

/// What a collective of both sets tells.
struct Met {
  double ahead = 0;   ///< By how much it ended earlier on the first set.
  double waited = 0;  ///< By how much longer the last of one set to arrive took.
};

/// None: no member is of the one set, or of the other.
std::optional<Met> met(const CommonEnd& common, const std::vector<bool>& is_apart) {
  struct Set {
    std::vector<double> ends;
    double least = INFINITY;
  };
  Set own;
  Set other;
  for (const EndSeen& seen : common.seen) {
    Set& set = is_apart[seen.host] ? other : own;
    set.ends.push_back(seen.end);
    set.least = std::min(set.least, seen.end - seen.begin);
  }
  if (own.ends.empty() || other.ends.empty())
    return std::nullopt;
  return Met{middle_in_place(other.ends) - middle_in_place(own.ends),
             std::abs(other.least - own.least)};
}

/// Median distance from the middle of their step.
double scatter_within_steps(const std::map<std::uint32_t, std::vector<double>>& by_step) {
  std::vector<double> off;
  for (const auto& [step, ahead] : by_step) {
    const double middle = middle_of(ahead);
    for (const double each : ahead)
      off.push_back(std::abs(each - middle));
  }
  return off.empty() ? 0 : middle_in_place(off);
}

}  // namespace

std::vector<std::uint32_t> uncoupled_hosts(const ClockEvidence& evidence,
                                           const StepOffsets& offsets) {
  if (offsets.hosts() < 2)
    return {};
  const std::vector<std::uint32_t> apart = hosts_apart(offsets);
  if (apart.empty())
    return {};
  std::vector<bool> is_apart(offsets.hosts());
  for (const std::uint32_t host : apart)
    is_apart[host] = true;
  std::map<std::uint32_t, double> longest;  // By step: nobody waits twice for the same.
  std::map<std::uint32_t, std::vector<double>> ahead;
  for (const CommonEnd& common : evidence.ends)
    if (const auto both = met(common, is_apart)) {
      longest[common.step] = std::max(longest[common.step], both->waited);
      ahead[common.step].push_back(both->ahead);
    }
  if (longest.empty())
    return {};
  std::vector<double> waits;
  for (const auto& [step, wait] : longest)
    waits.push_back(wait);
  const double moves = scatter_of(offsets.of(apart.front(), 0, offsets.steps()));
  const bool nobody_waits = kFar * middle_in_place(waits) < moves;
  const bool ends_apart = scatter_within_steps(ahead) > std::max(kLeastApart, moves / kFar);
  return nobody_waits || ends_apart ? apart : std::vector<std::uint32_t>();
}

}  // namespace stepcast
