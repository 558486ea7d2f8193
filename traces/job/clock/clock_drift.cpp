#include <algorithm>
#include <cmath>
#include <map>

#include "traces/job/clock/clock_fit.hpp"
#include "traces/job/medians.hpp"

// Slopes and offsets in turn. Cost: a round of slopes sorts every end once, and finds all offsets
// anew; two or three rounds, and where clocks drift up to 20.

namespace stepcast {
namespace {

constexpr std::size_t kFewestEnds = 5;  // Through two of them there is always a line.

/// The slope, and over how long it was seen. Theil's incomplete method: of ends that are alike the
/// n-th of the first half with the n-th of the second. A pair weighs by how far it is apart over
/// how much its ends scatter.
std::pair<double, double> slope_of(std::vector<ClockPoint>& points) {
  constexpr double kLeastApart = 1e-6;
  std::ranges::stable_sort(points, {},
                           [](const ClockPoint& point) { return std::pair(point.of, point.at); });
  std::vector<std::pair<double, double>> slopes;  // And weights.
  double first = 0;
  double last = 0;
  for (auto begin = points.begin(); begin != points.end();) {
    const auto end = std::ranges::find_if(
        begin, points.end(), [&](const ClockPoint& point) { return point.of != begin->of; });
    for (auto next = begin + (end - begin + 1) / 2; next != end; ++next) {
      const ClockPoint& before = *(next - (end - begin + 1) / 2);
      if (const double apart = next->at - before.at; apart > kLeastApart)
        slopes.emplace_back((next->ahead - before.ahead) / apart,
                            apart / std::hypot(before.spread, next->spread));
    }
    first = begin == points.begin() ? begin->at : std::min(first, begin->at);
    last = std::max(last, (end - 1)->at);
    begin = end;
  }
  if (slopes.empty())
    return {0, 0};
  return {weighted_median_of(slopes), last - first};
}

/// The standard error of a slope through ends that scatter as those of their kinds do.
double error_of(const std::vector<ClockPoint>& points) {
  struct Told {
    double weight = 0;
    double mean = 0;
    double squares = 0;
  };
  std::map<std::uint64_t, Told> told;
  for (const ClockPoint& point : points) {
    Told& alike = told[point.of];
    const double weight = 1 / (point.scatter * point.scatter);
    if (weight == 0)
      continue;
    const double apart = point.at - alike.mean;
    alike.weight += weight;
    alike.mean += apart * weight / alike.weight;
    alike.squares += weight * apart * (point.at - alike.mean);
  }
  double squares = 0;
  for (const auto& [of, alike] : told)
    squares += alike.squares;
  return 1 / std::sqrt(squares);
}

}  // namespace

template <typename Visit>
void ClockFit::for_each_common(Visit visit) const {
  for (const CommonEnd& common : evidence_.ends)
    visit(common);
  for (const CommonEnd& message : evidence_.messages)
    if (tells_drift(message))
      visit(message);
}

/// Those that a host saw.
template <typename Visit>
void ClockFit::for_each_common_of(std::uint32_t host, Visit visit) const {
  for (const std::uint32_t i : ends_of_hosts_[host])
    visit(evidence_.ends[i]);
  for (const std::uint32_t i : messages_of_hosts_[host])
    if (tells_drift(evidence_.messages[i]))
      visit(evidence_.messages[i]);
}

/// A first guess: from the first host of each part on, the line of each host by what it shares with
/// those that are known.
void ClockFit::join_lines() {
  std::vector<bool> known(offsets_.size());
  for (std::uint32_t first = 0; first < offsets_.size(); ++first) {
    if (known[first])
      continue;
    known[first] = true;
    for (bool found = true; found;) {
      found = false;
      for (std::uint32_t host = 0; host < offsets_.size(); ++host)
        if (!known[host] && parts_[host] == parts_[first] && set_line(host, known))
          found = known[host] = true;
    }
  }
}

bool ClockFit::set_line(std::uint32_t host, const std::vector<bool>& known) {
  std::vector<ClockPoint> points;
  std::vector<std::pair<double, double>> rests;
  std::vector<double> others;
  for_each_common_of(host, [&](const CommonEnd& common) {
    others.clear();
    const EndSeen* own = nullptr;
    for (const EndSeen& seen : common.seen) {
      if (seen.host == host)
        own = &seen;
      else if (known[seen.host])
        others.push_back(true_end(seen, common.step));
    }
    if (own != nullptr && !others.empty())
      points.push_back(point_of(common, *own, own->end - middle_in_place(others)));
  });
  if (points.empty())
    return false;
  drifts_[host] = slope_of(points).first;
  for (const ClockPoint& point : points)
    rests.emplace_back(point.ahead - drifts_[host] * point.at, 1 / point.spread);
  offsets_[host] = weighted_median_of(rests);
  return true;
}

std::vector<std::vector<ClockPoint>> ClockFit::points_by_host() const {
  std::vector<std::vector<ClockPoint>> points(offsets_.size());
  std::vector<double> own;
  for_each_common([&](const CommonEnd& common) {
    own.clear();
    for (const EndSeen& seen : common.seen)
      own.push_back(true_end(seen, common.step));
    const double end = middle_in_place(own);
    for (const EndSeen& seen : common.seen)
      points[seen.host].push_back(point_of(common, seen, true_end(seen, common.step) - end));
  });
  return points;
}

/// Returns by how much the clocks move at most that way.
double ClockFit::add_slopes() {
  std::vector<std::vector<ClockPoint>> points = points_by_host();
  double most = 0;
  for (std::uint32_t host = 0; host < offsets_.size(); ++host) {
    const auto [slope, span] = slope_of(points[host]);
    drifts_[host] += slope;
    most = std::max(most, std::abs(slope) * span);
  }
  return most;
}

/// What an end says about its host's clock. Ends are alike if kind and members are: some kinds end
/// earlier on some ranks, and receives later than sends, which is no drift. Within a step each kind
/// ends but once, so that all are taken together, and messages not at all.
ClockPoint ClockFit::point_of(const CommonEnd& common, const EndSeen& seen, double ahead) const {
  std::uint64_t of = 0;
  if (!within_steps_) {
    of = common.kind;
    for (const EndSeen& member : common.seen)
      of = of * 1'000'003 + member.host + 1;
  }
  return {.of = of,
          .at = begins_[common.step] + seen.end,
          .ahead = ahead,
          .spread = 1 / weights_[common.kind],
          .scatter = std::max(kNoResidual, scatters_[common.kind])};
}

/// False: none explains enough, and all is as it was.
bool ClockFit::find_drifts() {
  const ClockFit before = *this;
  find_slopes();
  if (keep_drifts(before.residuals_by_kind())) {
    find_offsets_anew();
    ClockFit recorded = before;
    recorded.offsets_.assign(offsets_.size(), 0);
    if (violations_left() <= std::min(recorded.violations(), before.violations_left()))
      return true;
  }
  offsets_ = before.offsets_;
  drifts_ = before.drifts_;
  parts_ = before.parts_;
  weights_ = before.weights_;
  return false;
}

/// Median residuals by host and kind; 0 where there are too few. Where all of a stage drift alike,
/// most of their ends are common to them alone and tell nothing of it.
std::vector<std::vector<double>> ClockFit::residuals_by_kind() const {
  std::vector<std::vector<std::vector<double>>> residuals(
      offsets_.size(), std::vector<std::vector<double>>(weights_.size()));
  const std::vector<double> ends = common_ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const CommonEnd& common = evidence_.ends[i];
    for (const EndSeen& seen : common.seen)
      residuals[seen.host][common.kind].push_back(std::abs(true_end(seen, common.step) - ends[i]));
  }
  std::vector<std::vector<double>> medians(offsets_.size());
  for (std::size_t host = 0; host < offsets_.size(); ++host)
    for (std::vector<double>& of : residuals[host])
      medians[host].push_back(of.size() < kFewestEnds ? 0 : middle_of(std::move(of)));
  return medians;
}

/// Ends tell drifts against each other alone. Of a part most clocks are taken to keep time: what
/// differs from the median drift by several standard errors drifts. False: no part has any.
bool ClockFit::keep_drifts(const std::vector<std::vector<double>>& before) {
  constexpr double kMostDrift = 5e-4;  // Crystals keep time within 1e-4; daemons slew by this.
  constexpr double kSure = 5;          // Standard errors.
  const auto after = residuals_by_host();
  const auto of_kinds = residuals_by_kind();
  const auto points = points_by_host();
  const std::size_t hosts = offsets_.size();
  std::vector<std::vector<double>> of_part(hosts);
  for (std::size_t host = 0; host < hosts; ++host)
    if (after[host].second >= kFewestEnds)
      of_part[parts_[host]].push_back(drifts_[host]);
  std::vector<bool> explained(hosts);
  std::vector<bool> absurd(hosts);
  for (std::size_t host = 0; host < hosts; ++host) {
    const std::vector<double>& all = of_part[parts_[host]];
    const double drift = drifts_[host] - (all.empty() ? 0 : middle_of(all));
    const bool drifts =
        after[host].second >= kFewestEnds && std::abs(drift) > kSure * error_of(points[host]);
    drifts_[host] = drifts ? drift : 0;
    for (std::size_t kind = 0; kind < weights_.size(); ++kind)
      if (drifts && before[host][kind] > kNoResidual &&
          of_kinds[host][kind] <= kKeptResidual * before[host][kind])
        explained[parts_[host]] = true;
    if (std::abs(drifts_[host]) > kMostDrift)
      absurd[parts_[host]] = true;
  }
  std::vector<double> first(hosts);
  for (std::size_t host = hosts; host-- > 0;) {
    if (!explained[parts_[host]] || absurd[parts_[host]])
      drifts_[host] = 0;
    first[parts_[host]] = drifts_[host];
  }
  bool any = false;
  for (std::size_t host = 0; host < hosts; ++host) {
    drifts_[host] -= first[parts_[host]];
    any = any || drifts_[host] != 0;
  }
  return any;
}

/// In rounds, as slopes leave a part of themselves in the common ends. Within a step few ends are
/// far from the others: what these do not tell is left as it is after a few rounds.
void ClockFit::find_slopes() {
  constexpr double kLittle = 1e-7;  // Seconds.
  constexpr int kRounds = 20;
  constexpr int kFewRounds = 3;
  constexpr int kPasses = 3;
  for (int round = 0; round < kFewRounds && within_steps_; ++round) {
    add_slopes();
    find_offsets();
  }
  if (within_steps_)
    return;
  for (int pass = 0; pass < kPasses; ++pass) {  // How much kinds scatter shows without the drifts.
    join_lines();
    for (int round = 0; round < kRounds && add_slopes() > kLittle; ++round) {
    }
    find_offsets_anew();
  }
}

void ClockFit::try_drift() {
  if (find_drifts())
    return;
  const bool restarts = std::ranges::any_of(begins_, [](double begin) { return begin != 0; });
  if (!restarts && begins_.size() > 1)
    return;
  within_steps_ = true;
  begins_.assign(begins_.size(), 0);
  find_drifts();
}

}  // namespace stepcast
