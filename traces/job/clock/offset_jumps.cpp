#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "traces/job/clock/clock_jumps.hpp"
#include "traces/job/medians.hpp"

// Cost: for each host and step up to 240 slopes; once more for each jump.

namespace stepcast {
namespace {

constexpr std::size_t kFewestSteps = 3;    // On either side: one that is off is no jump.
constexpr std::size_t kFewestAtAnEnd = 2;  // Where three tell that there is a jump.
constexpr std::size_t kMostSteps = 16;
constexpr double kSure = 5;           // Standard errors.
constexpr double kOfMedian = 1.2533;  // Its standard error over the mean's: sqrt(pi / 2).

using Points = std::vector<StepOffset>;

/// The first step that counts of those before one, and the end of those behind it.
std::size_t from_of(std::size_t step, std::size_t first) {
  return std::max(first + kMostSteps, step) - kMostSteps;
}
std::size_t end_of(std::size_t step, std::size_t end) {
  return std::min(end, step + kMostSteps);
}

/// The slope of two lines, within the points of either.
double common_slope(const Points& before, const Points& behind) {
  std::vector<std::pair<double, double>> slopes;
  for (const Points* side : {&before, &behind})
    for (std::size_t i = 0; i < side->size(); ++i)
      for (std::size_t k = i + 1; k < side->size(); ++k)
        if (const double apart = (*side)[k].at - (*side)[i].at; apart > 0)
          slopes.emplace_back(((*side)[k].ahead - (*side)[i].ahead) / apart, apart);
  return slopes.empty() ? 0 : weighted_median_of(slopes);
}

struct Jump {
  double seconds = 0;
  double error = INFINITY;  // Standard.
  double off = 0;           // What all points are off their lines, in sum.
};

double mean_time(const Points& points) {
  double sum = 0;
  for (const StepOffset& point : points)
    sum += point.at;
  return sum / static_cast<double>(points.size());
}

Jump jump_between(const Points& before, const Points& behind, double scatter) {
  const double slope = common_slope(before, behind);
  Jump jump;
  const auto level_of = [&](const Points& points) {
    std::vector<double> rests;
    for (const StepOffset& point : points)
      rests.push_back(point.ahead - slope * point.at);
    const double level = middle_of(rests);
    for (const double rest : rests)
      jump.off += std::abs(rest - level);
    return level;
  };
  jump.seconds = level_of(behind) - level_of(before);
  double squares = 0;  // Of times from the middle of their side.
  double inverse = 0;
  for (const Points* side : {&before, &behind}) {
    const double middle = mean_time(*side);
    for (const StepOffset& point : *side)
      squares += (point.at - middle) * (point.at - middle);
    inverse += 1 / static_cast<double>(side->size());
  }
  const double apart = mean_time(behind) - mean_time(before);
  const double of_slope = squares > 0 ? apart * apart / squares : 0;
  jump.error = kOfMedian * scatter * std::sqrt(inverse + of_slope);
  return jump;
}

/// What most clocks seem to jump is what the first one jumped the other way. Of two halves it is
/// the other one that jumped: the first host's clock is that of all.
Jump middle_jump(const std::vector<Jump>& jumps, const std::vector<std::uint32_t>& hosts) {
  std::vector<double> seconds;
  std::vector<double> errors;
  for (const std::uint32_t host : hosts) {
    seconds.push_back(jumps[host].seconds);
    errors.push_back(jumps[host].error);
  }
  std::ranges::sort(seconds);
  const double below = seconds[(seconds.size() - 1) / 2];
  const double above = seconds[seconds.size() / 2];
  return {std::abs(below) < std::abs(above) ? below : above, middle_in_place(errors)};
}

class OffsetJumps {
 public:
  OffsetJumps(const StepOffsets& offsets, const ClockEvidence& evidence)
      : offsets_(offsets), evidence_(evidence) {
    for (std::uint32_t host = 0; host < offsets.hosts(); ++host)
      scatters_.push_back(scatter_of(offsets.of(host, 0, offsets.steps())));
  }

  std::vector<ClockJump> run(const std::vector<ClockJump>& known) {
    breaks_ = {0, offsets_.steps()};
    for (const ClockJump& jump : known)
      breaks_.insert({jump.step, jump.step + 1});
    std::vector<std::size_t> all(breaks_.begin(), breaks_.end());
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      part(all[i], all[i + 1]);
    std::ranges::stable_sort(jumps_, {}, &ClockJump::step);
    return std::move(jumps_);
  }

 private:
  struct Found {
    double times = 1;  // What it takes to be a jump.
    std::vector<ClockJump> jumps;
  };

  void part(std::size_t first, std::size_t end);
  /// Seconds: daemons slew what is less, and crystals wander with their temperature, by 1 ppm a
  /// degree or so; in a pause, too, from which a jump is less than a few steps away.
  double least_jump(std::size_t step) const {
    constexpr double kLeastJump = 1e-3;
    constexpr double kWander = 2e-6;
    const std::size_t first = std::max(step, kFewestSteps) - kFewestSteps;
    const std::size_t last = std::min(step + kFewestSteps, offsets_.steps()) - 1;
    return kLeastJump + kWander * (offsets_.time_of(last) - offsets_.time_of(first));
  }
  std::size_t best_parting(const std::vector<ClockJump>& found, std::size_t from,
                           std::size_t end) const;
  std::vector<Jump> all_jumps(std::size_t from, std::size_t step, std::size_t end) const;
  Found jumps_at(std::size_t step, std::size_t first, std::size_t end);
  bool is_refuted(std::uint32_t host, const Jump& jump, const std::vector<std::uint32_t>& still,
                  std::size_t step, std::size_t first, std::size_t end);

  const StepOffsets& offsets_;
  const ClockEvidence& evidence_;
  std::optional<JumpBounds> bounds_;  // Once any clock seems to jump.
  std::vector<double> scatters_;
  std::set<std::size_t> breaks_;
  std::vector<ClockJump> jumps_;
};

/// Where the steps from `first` to before `end` show jumps most clearly they are parted.
void OffsetJumps::part(std::size_t first, std::size_t end) {
  Found most;
  std::size_t at = end;
  for (std::size_t step = first + kFewestSteps; step + kFewestSteps <= end; ++step)
    if (Found found = jumps_at(step, first, end); found.times > most.times) {
      most = std::move(found);
      at = step;
    }
  if (at == end)
    return;
  const std::size_t best = best_parting(most.jumps, from_of(at, first), end_of(at, end));
  if (Found found = jumps_at(best, first, end); !found.jumps.empty()) {
    most = std::move(found);
    at = best;
  }
  jumps_.insert(jumps_.end(), most.jumps.begin(), most.jumps.end());
  part(first, at);
  part(at, end);
}

/// The step from which on lines of those that jump fit best: next to a long pause a jump is less
/// sure than a few steps from it, and of three steps at an end the first or the last may be the
/// only one on the other side of it. Where a first host jumps all others' show it.
std::size_t OffsetJumps::best_parting(const std::vector<ClockJump>& found, std::size_t from,
                                      std::size_t end) const {
  std::vector<bool> counts(offsets_.hosts());
  for (const ClockJump& jump : found)
    for (std::uint32_t host = 0; host < offsets_.hosts(); ++host)
      if (host == jump.host || offsets_.first_of(host) == jump.host)
        counts[host] = true;
  std::size_t best = from;
  double least = INFINITY;
  for (std::size_t step = from + kFewestAtAnEnd; step + kFewestAtAnEnd <= end; ++step) {
    const std::vector<Jump> jumps = all_jumps(from, step, end);
    double off = 0;
    for (std::uint32_t host = 0; host < offsets_.hosts(); ++host)
      off += counts[host] ? jumps[host].off : 0;
    if (off < least)
      best = step;
    least = std::min(least, off);
  }
  return best;
}

std::vector<Jump> OffsetJumps::all_jumps(std::size_t from, std::size_t step,
                                         std::size_t end) const {
  std::vector<Jump> jumps(offsets_.hosts());
  for (std::uint32_t host = 0; host < offsets_.hosts(); ++host) {
    const Points before = offsets_.of(host, from, step);
    const Points behind = offsets_.of(host, step, end);
    if (before.size() >= kFewestAtAnEnd && behind.size() >= kFewestAtAnEnd)
      jumps[host] = jump_between(before, behind, scatters_[host]);
  }
  return jumps;
}

OffsetJumps::Found OffsetJumps::jumps_at(std::size_t step, std::size_t first, std::size_t end) {
  const std::vector<Jump> jumps = all_jumps(from_of(step, first), step, end_of(step, end));
  std::map<std::uint32_t, std::vector<std::uint32_t>> parts;  // Hosts, by the first one.
  for (std::uint32_t host = 0; host < offsets_.hosts(); ++host)
    if (std::isfinite(jumps[host].error))
      parts[offsets_.first_of(host)].push_back(host);
  Found found;
  for (const auto& [of, hosts] : parts) {
    const Jump usual = middle_jump(jumps, hosts);
    std::vector<std::uint32_t> still;
    std::vector<std::pair<std::uint32_t, Jump>> seem;
    for (const std::uint32_t host : hosts) {
      const Jump jump{.seconds = jumps[host].seconds - usual.seconds,
                      .error = kSure * std::max(jumps[host].error, usual.error)};
      if (std::abs(jump.seconds) > std::max(least_jump(step), jump.error))
        seem.emplace_back(host, jump);
      else
        still.push_back(host);
    }
    for (const auto& [host, jump] : seem) {
      if (is_refuted(host, jump, still, step, first, end))
        continue;
      const double by = std::abs(jump.seconds);
      found.times = std::max(found.times, by / std::max(least_jump(step), jump.error));
      found.jumps.push_back({.host = host,
                             .step = static_cast<std::uint32_t>(step),
                             .other = host == hosts.front() ? hosts.back() : hosts.front(),
                             .seconds = by});
    }
  }
  return found;
}

/// Whether messages with a clock that did not jump allow neither so much nor what counts as a jump.
bool OffsetJumps::is_refuted(std::uint32_t host, const Jump& jump,
                             const std::vector<std::uint32_t>& still, std::size_t step,
                             std::size_t first, std::size_t end) {
  if (!bounds_)
    bounds_.emplace(evidence_);
  const double least = std::max(least_jump(step), std::abs(jump.seconds) - jump.error);
  return std::ranges::any_of(still, [&](std::uint32_t other) {
    const auto [ahead, behind] = jump.seconds > 0 ? std::pair(host, other) : std::pair(other, host);
    return bounds_->most_ahead(ahead, behind, from_of(step, first), step, end_of(step, end)) <
           least;
  });
}

}  // namespace

std::vector<ClockJump> jumps_of_offsets(const StepOffsets& offsets, const ClockEvidence& evidence,
                                        const std::vector<ClockJump>& known) {
  return OffsetJumps(offsets, evidence).run(known);
}

}  // namespace stepcast
