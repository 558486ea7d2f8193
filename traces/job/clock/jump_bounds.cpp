#include <algorithm>
#include <cmath>
#include <functional>

#include "traces/job/clock/clock_jumps.hpp"

namespace stepcast {
namespace {

constexpr double kMostSlope = 5e-4;  // Seconds a second: daemons slew by this.
constexpr int kRounds = 60;          // Of parting what is left: slopes to 1e-13.

using OfSlope = std::function<double(double)>;

/// Where a concave function is highest.
double highest_of(const OfSlope& value, double least, double most) {
  for (int round = 0; round < kRounds; ++round) {
    const double third = (most - least) / 3;
    if (value(least + third) < value(most - third))
      least += third;
    else
      most -= third;
  }
  return (least + most) / 2;
}

/// From `inside`, where a concave function is not negative, as far towards `end` as it is none.
double last_inside(const OfSlope& value, double inside, double end) {
  if (value(end) >= 0)
    return end;
  for (int round = 0; round < kRounds; ++round) {
    const double middle = (inside + end) / 2;
    (value(middle) >= 0 ? inside : end) = middle;
  }
  return inside;
}

}  // namespace

JumpBounds::JumpBounds(const ClockEvidence& evidence) {
  for (const ClockBound& bound : evidence.bounds) {
    if (!bound.message)
      continue;
    Bounds& all = tightest_[{bound.before, bound.after}];
    if (all.empty() || all.back().step != bound.step)
      all.push_back({.step = bound.step, .most = INFINITY});
    if (bound.most < all.back().most)
      all.back() = {bound.step, evidence.begins[bound.step] + bound.at, bound.most};
  }
}

JumpBounds::Bounds JumpBounds::between(std::uint32_t before, std::uint32_t after, std::size_t from,
                                       std::size_t end) const {
  const auto found = tightest_.find({before, after});
  if (found == tightest_.end())
    return {};
  return {std::ranges::lower_bound(found->second, from, {}, &Bound::step),
          std::ranges::lower_bound(found->second, end, {}, &Bound::step)};
}

double JumpBounds::most_ahead(std::uint32_t host, std::uint32_t other, std::size_t from,
                              std::size_t step, std::size_t end) const {
  const Bounds above_before = between(other, host, from, step);
  const Bounds below_before = between(host, other, from, step);
  const Bounds above_behind = between(other, host, step, end);
  const Bounds below_behind = between(host, other, step, end);
  for (const Bounds* side : {&above_before, &below_before, &above_behind, &below_behind})
    if (side->empty())
      return INFINITY;
  // What a line of the slope may be ahead at most, or back, when the first step begins.
  const auto most = [](const Bounds& bounds, double slope) {
    double least = INFINITY;
    for (const Bound& bound : bounds)
      least = std::min(least, bound.most - slope * bound.at);
    return least;
  };
  const auto room = [&](double slope) {
    return std::min(most(above_before, slope) + most(below_before, -slope),
                    most(above_behind, slope) + most(below_behind, -slope));
  };
  const auto jump = [&](double slope) {
    return most(above_behind, slope) + most(below_before, -slope);
  };
  const double inside = highest_of(room, -kMostSlope, kMostSlope);
  if (room(inside) < 0)
    return INFINITY;
  return jump(highest_of(jump, last_inside(room, inside, -kMostSlope),
                         last_inside(room, inside, kMostSlope)));
}

}  // namespace stepcast
