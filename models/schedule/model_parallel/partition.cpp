#include "models/schedule/model_parallel/partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

void require_units(std::size_t units, std::size_t parts) {
  if (units < parts)
    throw InputError(
        fmt::format("expected at least as many layers as parts of the model ({}), "
                    "found {}",
                    parts, units));
}

// Bounds behind so many counting units each; what does not count goes with its neighbours.
PartBounds bounds_of(const std::vector<bool>& counts, const std::vector<std::size_t>& sizes) {
  PartBounds bounds{0};
  std::size_t unit = 0;
  for (std::size_t part = 0; part + 1 < sizes.size(); ++part) {
    for (std::size_t taken = 0; taken < sizes[part]; ++unit)
      taken += counts[unit] ? 1 : 0;
    bounds.push_back(unit);
  }
  bounds.push_back(counts.size());
  return bounds;
}

std::vector<std::size_t> even_sizes(std::size_t units, std::size_t parts) {
  std::vector<std::size_t> sizes(parts, units / parts);
  for (std::size_t part = 0; part < units % parts; ++part)
    ++sizes[part];
  return sizes;
}

}  // namespace

PartBounds equal_parts(const std::vector<bool>& counts, std::size_t parts) {
  const auto counting = static_cast<std::size_t>(std::ranges::count(counts, true));
  require_units(counts.size(), parts);
  if (counting >= parts && counting % parts == 0)
    return bounds_of(counts, even_sizes(counting, parts));
  return bounds_of(std::vector<bool>(counts.size(), true), even_sizes(counts.size(), parts));
}

PartBounds listed_parts(const std::vector<bool>& counts, std::size_t parts,
                        const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string_view part : split(text, ','))
    sizes.push_back(parse_count(part, 0));
  const auto counting = static_cast<std::size_t>(std::ranges::count(counts, true));
  const std::size_t sum = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  if (sizes.size() != parts || sum != counting)
    throw InputError(
        fmt::format("expected {} numbers that add up to {} layers, found {} that add "
                    "up to {}",
                    parts, counting, sizes.size(), sum));
  std::vector<bool> all = counts;
  for (const auto& [size, unit] : {std::pair(sizes.begin(), all.begin()),
                                   std::pair(std::prev(sizes.end()), std::prev(all.end()))})
    if (*size == 0 && !*unit) {
      *unit = true;
      *size = 1;
    }
  if (std::ranges::find(sizes, std::size_t{0}) != sizes.end())
    throw InputError(
        "expected a layer in each part but the first and the last, which may hold the embedding or "
        "the head alone");
  return bounds_of(all, sizes);
}

PartBounds lightest_parts(std::span<const Seconds> weights, std::size_t parts,
                          std::span<const double> slowness) {
  const std::size_t units = weights.size();
  require_units(units, parts);
  std::vector<double> before(units + 1, 0);
  for (std::size_t j = 0; j < units; ++j)
    before[j + 1] = before[j] + weights[j].value;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> heaviest(parts + 1, std::vector<double>(units + 1, kNever));
  std::vector<std::vector<std::size_t>> from(parts + 1, std::vector<std::size_t>(units + 1, 0));
  heaviest[0][0] = 0;
  for (std::size_t i = 1; i <= parts; ++i) {
    const double slow = slowness.empty() ? 1 : slowness[i - 1];
    for (std::size_t j = i; j <= units; ++j)
      for (std::size_t k = i - 1; k < j; ++k)
        if (const double heavy = std::max(heaviest[i - 1][k], (before[j] - before[k]) * slow);
            heavy < heaviest[i][j]) {
          heaviest[i][j] = heavy;
          from[i][j] = k;
        }
  }
  PartBounds bounds(parts + 1, units);
  for (std::size_t i = parts; i > 0; --i)
    bounds[i - 1] = from[i][bounds[i]];
  return bounds;
}

std::vector<PartTimes> sums_of(std::span<const PartTimes> units, const PartBounds& bounds) {
  std::vector<PartTimes> sums(bounds.size() - 1);
  for (std::size_t part = 0; part + 1 < bounds.size(); ++part)
    for (std::size_t unit = bounds[part]; unit < bounds[part + 1]; ++unit) {
      sums[part].forward += units[unit].forward;
      sums[part].input_gradient += units[unit].input_gradient;
      sums[part].weight_gradient += units[unit].weight_gradient;
    }
  return sums;
}

namespace {

struct PartCost {
  double excess = 0;
  Seconds makespan{};

  bool below(const PartCost& other) const {
    return excess < other.excess ||
           (excess == other.excess && makespan < other.makespan * (1 - 1e-12));
  }
};

/// Moves units between parts for as long as that is better. A move costs a walk of the order; few
/// micro-batches make all pairs of parts worth it: where a step gains by uneven parts, neighbours
/// alone may have nothing to give (1.2 : 1.2 : .8 : .8 is reached from equal parts by moves from
/// the last two to the first two alone).
class PartSearch {
 public:
  PartSearch(PartBounds begin, std::function<PartCost(const PartBounds&)> cost, bool all_pairs)
      : cost_(std::move(cost)),
        all_pairs_(all_pairs),
        best_(std::move(begin)),
        least_(cost_(best_)) {}

  PartBounds run() && {
    while (moves_between_neighbours() ||
           ((all_pairs_ || least_.excess > 0) && moves_through_neighbours()))
      continue;
    return std::move(best_);
  }

 private:
  bool moves_between_neighbours() {
    bool moved = false;
    for (std::size_t bound = 1; bound + 1 < best_.size(); ++bound)
      for (const int step : {-1, 1})
        moved = improves(bound, bound, step) || moved;
    return moved;
  }

  // Where neighbours are full, or gain nothing: through them to another.
  bool moves_through_neighbours() {
    bool moved = false;
    for (std::size_t first = 1; first + 1 < best_.size(); ++first)
      for (std::size_t last = first + 1; last + 1 < best_.size(); ++last)
        for (const int step : {-1, 1})
          moved = improves(first, last, step) || moved;
    return moved;
  }

  bool improves(std::size_t first, std::size_t last, int step) {
    PartBounds other = best_;
    for (std::size_t bound = first; bound <= last; ++bound)
      other[bound] = other[bound] + static_cast<std::size_t>(step);
    if (other[first] <= other[first - 1] || other[last] >= other[last + 1])
      return false;
    const PartCost cost = cost_(other);
    if (!cost.below(least_))
      return false;
    best_ = std::move(other);
    least_ = cost;
    return true;
  }

  std::function<PartCost(const PartBounds&)> cost_;
  bool all_pairs_;
  PartBounds best_;
  PartCost least_;
};

// The first part takes 1 + F/R of each other one, as near as units allow: what is known to be best
// of 1F1B with as many micro-batches as stages, and single moves may not get there.
PartBounds longer_first_parts(std::span<const Seconds> weights, const PartTimes& whole,
                              std::size_t parts) {
  const Seconds backward = whole.input_gradient + whole.weight_gradient;
  const double more = backward > Seconds{} ? whole.forward / backward : 0;
  const Seconds total = whole.forward + backward;
  PartBounds bounds{0};
  Seconds before{};
  for (std::size_t unit = 0; bounds.size() < parts; ++unit) {
    const double part = static_cast<double>(bounds.size()) + more;
    const Seconds wanted = total * (part / (static_cast<double>(parts) + more));
    const std::size_t left = parts - bounds.size();
    if (unit > bounds.back() &&
        (before + weights[unit] / 2 > wanted || unit + left == weights.size()))
      bounds.push_back(unit);
    before += weights[unit];
  }
  bounds.push_back(weights.size());
  return bounds;
}

}  // namespace

PartBounds best_parts(const PipelineOrder& order, std::span<const PartTimes> units, Seconds message,
                      const std::function<double(const PartBounds&)>& excess,
                      std::vector<PartBounds> begins, std::span<const double> slowness) {
  std::vector<Seconds> weights;
  for (const PartTimes& unit : units)
    weights.push_back(unit.forward + unit.input_gradient + unit.weight_gradient);
  const auto cost = [&](const PartBounds& bounds) {
    std::vector<PartTimes> parts = sums_of(units, bounds);
    for (std::size_t part = 0; part < slowness.size(); ++part)
      for (Seconds* time :
           {&parts[part].forward, &parts[part].input_gradient, &parts[part].weight_gradient})
        *time = *time * slowness[part];
    return PartCost{excess ? excess(bounds) : 0, walk(order, parts, message).makespan};
  };
  const bool few = order.micro_batches <= order.stages;
  if (PartBounds lightest = lightest_parts(weights, order.parts(), slowness);
      std::ranges::find(begins, lightest) == begins.end())
    begins.push_back(std::move(lightest));
  if (few)
    begins.push_back(
        longer_first_parts(weights, sums_of(units, {0, units.size()}).front(), order.parts()));
  PartBounds best;
  for (PartBounds& begin : begins) {
    PartBounds other = PartSearch(std::move(begin), cost, few).run();
    if (best.empty() || cost(other).below(cost(best)))
      best = std::move(other);
  }
  return best;
}

}  // namespace stepcast
