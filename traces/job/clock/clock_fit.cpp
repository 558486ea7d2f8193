#include "traces/job/clock/clock_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "traces/job/medians.hpp"

// Cost: a round of medians sorts every end once, n log n; at most 20 rounds.

namespace stepcast {
namespace {

constexpr double kLeastSpread = 1e-6;  // Of a kind, in seconds: clocks tell no less.

/// Value and weight.
using Weighted = std::vector<std::pair<double, double>>;

/// The standard deviation of what was fitted by so many parameters; infinite if by all too many.
double scatter_of(const std::vector<double>& residuals, std::size_t parameters) {
  const double over_mean = std::sqrt(std::numbers::pi / 2);
  const auto count = static_cast<double>(residuals.size());
  if (residuals.size() <= parameters)
    return INFINITY;
  const double mean = std::accumulate(residuals.begin(), residuals.end(), 0.0) / count;
  return over_mean * mean * std::sqrt(count / (count - static_cast<double>(parameters)));
}

/// By host, which of them it saw.
std::vector<std::vector<std::uint32_t>> seen_by_hosts(const std::vector<CommonEnd>& all,
                                                      std::uint32_t hosts) {
  std::vector<std::vector<std::uint32_t>> seen(hosts);
  for (std::uint32_t i = 0; i < all.size(); ++i)
    for (const EndSeen& member : all[i].seen)
      if (seen[member.host].empty() || seen[member.host].back() != i)
        seen[member.host].push_back(i);
  return seen;
}

}  // namespace

ClockFit::ClockFit(const ClockEvidence& evidence)
    : evidence_(evidence),
      ends_of_hosts_(seen_by_hosts(evidence.ends, evidence.hosts)),
      messages_of_hosts_(seen_by_hosts(evidence.messages, evidence.hosts)),
      begins_(evidence.begins),
      offsets_(evidence.hosts),
      drifts_(evidence.hosts),
      parts_(evidence.hosts),
      known_(evidence.hosts),
      weights_(evidence.kinds, 1.0),
      scatters_(evidence.kinds) {
  join_parts();
}

/// A first guess: from the first host on, each host by what it shares with those that are known.
void ClockFit::join_parts() {
  std::uint32_t part = 0;
  for (std::uint32_t host = 0; host < offsets_.size(); ++host) {
    if (known_[host])
      continue;
    parts_[host] = part++;
    known_[host] = true;
    spread_from(host);
  }
  bridge_by_messages();
}

void ClockFit::spread_from(std::uint32_t first) {
  for (bool found = true; found;) {
    found = false;
    for (std::uint32_t host = 0; host < offsets_.size(); ++host) {
      if (known_[host])
        continue;
      if (const auto offset = offset_against(host)) {
        offsets_[host] = *offset;
        parts_[host] = parts_[first];
        known_[host] = true;
        found = true;
      }
    }
  }
}

std::optional<double> ClockFit::offset_against(std::uint32_t host) const {
  std::vector<double> differences;
  std::vector<double> known;
  for (const std::uint32_t i : ends_of_hosts_[host]) {
    const CommonEnd& common = evidence_.ends[i];
    known.clear();
    std::optional<double> own;
    for (const EndSeen& seen : common.seen) {
      if (seen.host == host)
        own = true_end(seen, common.step) + offsets_[host];
      else if (known_[seen.host])
        known.push_back(true_end(seen, common.step));
    }
    if (own && !known.empty())
      differences.push_back(*own - middle_in_place(known));
  }
  return differences.empty() ? std::nullopt : std::optional(middle_of(std::move(differences)));
}

std::vector<double> ClockFit::common_ends() const {
  std::vector<double> ends;
  std::vector<double> own;
  for (const CommonEnd& common : evidence_.ends) {
    own.clear();
    for (const EndSeen& seen : common.seen)
      own.push_back(true_end(seen, common.step));
    ends.push_back(middle_in_place(own));
  }
  return ends;
}

void ClockFit::find_offsets() {
  constexpr int kRounds = 10;
  for (int pass = 0; pass < 2; ++pass) {
    for (int round = 0; round < kRounds && improve(); ++round) {
    }
    weigh_kinds();
  }
}

/// As of clocks that do not drift: what they gained is taken away first.
void ClockFit::find_offsets_anew() {
  if (within_steps_)
    return find_offsets();
  weights_.assign(weights_.size(), 1);
  known_.assign(known_.size(), false);
  offsets_.assign(offsets_.size(), 0);
  join_parts();
  find_offsets();
}

/// Kinds whose ends scatter say less: weights are the inverse of the median residual.
void ClockFit::weigh_kinds() {
  struct OfKind {
    std::vector<double> residuals;
    std::vector<bool> has_host;
    std::size_t ends = 0;

    auto hosts() const { return static_cast<std::size_t>(std::ranges::count(has_host, true)); }
  };
  std::vector<OfKind> kinds(weights_.size(),
                            {.residuals = {}, .has_host = std::vector<bool>(offsets_.size())});
  std::vector<double> own;
  std::vector<double> ordered;
  const auto add = [&](const CommonEnd& common) {
    OfKind& kind = kinds[common.kind];
    own.clear();
    for (const EndSeen& seen : common.seen) {
      own.push_back(true_end(seen, common.step));
      kind.has_host[seen.host] = true;
    }
    ordered = own;
    const double middle = middle_in_place(ordered);
    for (const double end : own)
      kind.residuals.push_back(std::abs(end - middle));
    ++kind.ends;
  };
  std::ranges::for_each(evidence_.ends, add);
  std::ranges::for_each(evidence_.messages, add);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (OfKind& of = kinds[kind]; !of.residuals.empty()) {
      scatters_[kind] = scatter_of(of.residuals, of.ends + 2 * of.hosts());
      weights_[kind] = 1 / std::max(kLeastSpread, middle_of(std::move(of.residuals)));
    }
}

/// One round; false if it moved nothing by as much as a nanosecond.
bool ClockFit::improve() {
  constexpr double kNothing = 1e-9;
  const std::vector<double> ends = common_ends();
  std::vector<Weighted> said(offsets_.size());
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (const EndSeen& seen : evidence_.ends[i].seen)
      said[seen.host].emplace_back(true_end(seen, evidence_.ends[i].step) - ends[i],
                                   weights_[evidence_.ends[i].kind]);
  double most = 0;
  for (std::uint32_t host = 0; host < offsets_.size(); ++host) {
    if (said[host].empty())
      continue;
    const double by = weighted_median_of(said[host]);
    offsets_[host] += by;
    most = std::max(most, std::abs(by));
  }
  // The first host of each part keeps its time.
  std::vector<double> first(offsets_.size());
  for (std::size_t host = offsets_.size(); host-- > 0;)
    first[parts_[host]] = offsets_[host];
  for (std::uint32_t host = 0; host < offsets_.size(); ++host)
    offsets_[host] -= first[parts_[host]];
  return most > kNothing;
}

/// Ten times as far off as the others' in the mean, of which few ends tell that the median hides.
std::vector<bool> ClockFit::jumping_hosts() const {
  constexpr double kFarOff = 10;
  std::vector<double> means;
  for (const std::vector<double>& of_host : all_residuals())
    means.push_back(std::accumulate(of_host.begin(), of_host.end(), 0.0) /
                    std::max(1.0, static_cast<double>(of_host.size())));
  const double usual = std::max(kLeastSpread, middle_of(means));
  std::vector<bool> jumping;
  for (const double mean : means)
    jumping.push_back(mean > kFarOff * usual);
  return jumping;
}

void ClockFit::try_steps() {
  constexpr std::size_t kFewest = 3;
  const double before = residual();
  const std::vector<bool> jumps = jumping_hosts();
  const bool any_jumps = std::ranges::find(jumps, true) != jumps.end();
  if (before <= kNoResidual && !any_jumps)
    return;
  const std::vector<double> ends = common_ends();
  std::vector<std::vector<Weighted>> said(begins_.size(), std::vector<Weighted>(offsets_.size()));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const CommonEnd& common = evidence_.ends[i];
    for (const EndSeen& seen : common.seen)
      said[common.step][seen.host].emplace_back(true_end(seen, common.step) - ends[i],
                                                weights_[common.kind]);
  }
  const std::vector<std::vector<double>> none(begins_.size(), std::vector<double>(offsets_.size()));
  std::vector<std::vector<double>> of_all = none;
  std::vector<std::vector<double>> of_jumps = none;
  for (std::size_t step = 0; step < none.size(); ++step)
    for (std::size_t host = 0; host < offsets_.size(); ++host)
      if (said[step][host].size() >= (jumps[host] ? 1 : kFewest)) {
        of_all[step][host] = weighted_median_of(said[step][host]);
        if (jumps[host])
          of_jumps[step][host] = of_all[step][host];
      }
  moves_ = std::move(of_all);
  if (before > kNoResidual && residual() <= kKeptResidual * before)
    return;
  moves_.clear();
  if (any_jumps)
    moves_ = std::move(of_jumps);
}

std::vector<std::vector<double>> ClockFit::all_residuals() const {
  const std::vector<double> ends = common_ends();
  std::vector<std::vector<double>> residuals(offsets_.size());
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (const EndSeen& seen : evidence_.ends[i].seen)
      residuals[seen.host].push_back(std::abs(true_end(seen, evidence_.ends[i].step) - ends[i]));
  return residuals;
}

double ClockFit::residual() const {
  std::vector<double> residuals;
  for (const std::vector<double>& of_host : all_residuals())
    residuals.insert(residuals.end(), of_host.begin(), of_host.end());
  return residuals.empty() ? 0 : middle_of(std::move(residuals));
}

std::vector<std::pair<double, std::size_t>> ClockFit::residuals_by_host() const {
  std::vector<std::pair<double, std::size_t>> medians;
  for (std::vector<double>& of_host : all_residuals()) {
    const std::size_t count = of_host.size();
    medians.emplace_back(count == 0 ? 0 : middle_of(std::move(of_host)), count);
  }
  return medians;
}

}  // namespace stepcast
