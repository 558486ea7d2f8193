#include "traces/job/clock/uncoupled_hosts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "models/base/components.hpp"
#include "traces/job/medians.hpp"

// Cost: for each pair of hosts of a stage 64 steps at most; for each way to part them (few) a look
// at each end.

namespace stepcast {
namespace {

constexpr double kFar = 10;
constexpr double kLeastMove = 1e-4;   // Seconds: of clocks.
constexpr double kLeastApart = 1e-3;  // Of ends: those of one collective may differ by less.

/// A host's step: how long it takes from the first work, which is of a kind, to the common ends.
struct Pace {
  double seconds = NAN;  // Not known.
  std::uint16_t kind = 0;
};

/// Of all steps, of many some at equal distance.
std::vector<Pace> paces_of(std::uint32_t host, const ClockEvidence& evidence,
                           const StepOffsets& offsets) {
  constexpr std::size_t kMostSteps = 64;
  const std::size_t stride = (offsets.steps() + kMostSteps - 1) / kMostSteps;
  std::vector<Pace> paces;
  for (std::size_t step = 0; step < offsets.steps(); step += stride) {
    const std::vector<StepOffset> own = offsets.of(host, step, step + 1);
    const HostStart& start = evidence.starts[step][host];
    const bool known = !own.empty() && std::isfinite(start.begin);
    paces.push_back({known ? own.front().ahead - start.begin : NAN, start.kind});
  }
  return paces;
}

/// The median difference of steps that begin with the same; infinite: too few do.
double distance_of(const std::vector<Pace>& one, const std::vector<Pace>& other) {
  constexpr std::size_t kFewest = 5;
  std::vector<double> apart;
  for (std::size_t step = 0; step < one.size(); ++step) {
    const double by = std::abs(one[step].seconds - other[step].seconds);
    if (one[step].kind == other[step].kind && !std::isnan(by))
      apart.push_back(by);
  }
  return apart.size() < kFewest ? INFINITY : middle_in_place(apart);
}

struct Distance {
  double seconds = 0;
  std::uint32_t one = 0;
  std::uint32_t other = 0;
};

/// The distances over which sets of hosts are joined to one, ascending; `joined` are from the
/// start.
std::vector<Distance> joining_distances(const ClockEvidence& evidence, const StepOffsets& offsets,
                                        Components joined) {
  std::vector<std::vector<Pace>> paces;
  for (std::uint32_t host = 0; host < offsets.hosts(); ++host)
    paces.push_back(paces_of(host, evidence, offsets));
  std::vector<Distance> all;
  for (std::uint32_t one = 0; one < offsets.hosts(); ++one)
    for (std::uint32_t other = one + 1; other < offsets.hosts(); ++other)
      if (evidence.stages[one] == evidence.stages[other] && joined.of(one) != joined.of(other) &&
          offsets.first_of(one) == offsets.first_of(other))
        if (const double apart = distance_of(paces[one], paces[other]); std::isfinite(apart))
          all.push_back({apart, one, other});
  std::ranges::stable_sort(all, {}, &Distance::seconds);
  std::erase_if(all, [&](const Distance& distance) {
    const bool is_one = joined.of(distance.one) == joined.of(distance.other);
    joined.join(distance.one, distance.other);
    return is_one;
  });
  return all;
}

/// By host: neither set, the first host's of the two, or the other.
enum class Side : std::uint8_t { Neither, Own, Other };
using Sides = std::vector<Side>;

Sides sides_of(const Components& joined, const Distance& between, std::uint32_t hosts) {
  const std::uint32_t own = std::min(joined.of(between.one), joined.of(between.other));
  const std::uint32_t other = std::max(joined.of(between.one), joined.of(between.other));
  Sides sides;
  for (std::uint32_t host = 0; host < hosts; ++host)
    sides.push_back(joined.of(host) == own     ? Side::Own
                    : joined.of(host) == other ? Side::Other
                                               : Side::Neither);
  return sides;
}

/// What a collective of both sets tells.
struct Met {
  double ahead = 0;   ///< By how much it ended earlier on the first set.
  double waited = 0;  ///< By how much longer the last of one set to arrive took.
};

/// None: no member is of the one set, or of the other.
std::optional<Met> met(const CommonEnd& common, const Sides& sides) {
  struct Set {
    std::vector<double> ends;
    double least = INFINITY;
  };
  Set own;
  Set other;
  for (const EndSeen& seen : common.seen) {
    if (sides[seen.host] == Side::Neither)
      continue;
    Set& set = sides[seen.host] == Side::Own ? own : other;
    set.ends.push_back(seen.end);
    set.least = std::min(set.least, seen.end - seen.begin);
  }
  if (own.ends.empty() || other.ends.empty())
    return std::nullopt;
  return Met{middle_in_place(other.ends) - middle_in_place(own.ends),
             std::abs(other.least - own.least)};
}

/// Whether two sets whose steps are so far apart run each by itself.
bool are_two_jobs(const ClockEvidence& evidence, const Sides& sides, double distance) {
  struct OfStep {
    double longest = 0;  // Nobody waits twice for the same.
    double least = INFINITY;
    double most = -INFINITY;
  };
  std::map<std::uint32_t, OfStep> steps;
  for (const CommonEnd& common : evidence.ends)
    if (const auto both = met(common, sides)) {
      OfStep& step = steps[common.step];
      step.longest = std::max(step.longest, both->waited);
      step.least = std::min(step.least, both->ahead);
      step.most = std::max(step.most, both->ahead);
    }
  if (steps.empty())
    return false;
  std::vector<double> waits;
  std::vector<double> moves;
  for (const auto& [step, of] : steps) {
    waits.push_back(of.longest);
    moves.push_back(of.most - of.least);
  }
  const bool ends_move =
      distance > kLeastApart && middle_in_place(moves) > std::max(kLeastApart, distance / kFar);
  return ends_move || kFar * middle_in_place(waits) < distance;
}

}  // namespace

std::vector<std::uint32_t> uncoupled_hosts(const ClockEvidence& evidence,
                                           const StepOffsets& offsets) {
  constexpr std::size_t kMostCuts = 4;
  Components by_messages(offsets.hosts());
  for (const CommonEnd& message : evidence.messages)
    by_messages.join(message.seen[0].host, message.seen[1].host);
  const std::vector<Distance> all = joining_distances(evidence, offsets, by_messages);
  for (std::size_t cut = all.size(); cut-- > 0 && cut + kMostCuts >= all.size();) {
    const double usual = cut == 0 ? 0 : all[cut / 2].seconds;
    if (all[cut].seconds < std::max(kLeastMove, kFar * usual))
      continue;
    Components joined = by_messages;
    for (std::size_t i = 0; i < cut; ++i)
      joined.join(all[i].one, all[i].other);
    const Sides sides = sides_of(joined, all[cut], offsets.hosts());
    if (!are_two_jobs(evidence, sides, all[cut].seconds))
      continue;
    std::vector<std::uint32_t> apart;
    for (std::uint32_t host = 0; host < offsets.hosts(); ++host)
      if (sides[host] == Side::Other)
        apart.push_back(host);
    return apart;
  }
  return {};
}

}  // namespace stepcast
