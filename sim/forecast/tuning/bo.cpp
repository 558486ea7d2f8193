#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/error.hpp"
#include "sim/forecast/tuning/expected_improvement.hpp"
#include "sim/forecast/tuning/search.hpp"

namespace stepcast {
namespace {

/// The trials as the process sees them: points in [0, 1], times of mean 0 and deviation 1.
struct Observations {
  std::vector<double> points;
  std::vector<double> values;
};

void standardise(std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  // Differences within the rounding of a simulation are none.
  constexpr double kRounding = 1e-12;
  const double spread = std::sqrt(squares / count);
  const double deviation = spread > kRounding * std::abs(mean) ? spread : 1;
  for (double& value : values)
    value = (value - mean) / deviation;
}

double slowest_of(const std::vector<Trial>& trials) {
  double slowest = 0;
  for (const Trial& trial : trials)
    if (trial.is_feasible())
      slowest = std::max(slowest, trial.per_sample().value);
  return slowest;
}

/// A refused value stands at the slowest time seen: were it left out, the most promising point
/// would stay where it is, and every later trial beside it.
Observations observations_of(const Search& search) {
  Observations observations;
  const double slowest = slowest_of(search.trials());
  for (const Trial& trial : search.trials()) {
    observations.points.push_back(search.task().range.share_of(trial.value));
    observations.values.push_back(trial.is_feasible() ? trial.per_sample().value : slowest);
  }
  standardise(observations.values);
  return observations;
}

double room_at(const Search& search, double point) {
  const SearchRange& range = search.task().range;
  if (search.has_measured(range.at(point)))
    return 0;
  double nearest = 1;
  for (const Trial& trial : search.trials())
    nearest = std::min(nearest, std::abs(range.share_of(trial.value) - point));
  return nearest;
}

}  // namespace

/// DeAR's tuning (Zhang et al., ICDCS 2023): a first point, then always the point of the highest
/// expected improvement. Times are standardised, so that xi and the result do not depend on how
/// long an iteration takes.
void search_bo(Search& search) {
  const SearchTask& task = search.task();
  search.measure(task.first);
  if (const Trial& first = search.trials().front(); !first.is_feasible())
    throw InputError(first.refusal);  // rarely the value's fault; --first names another
  while (!search.spent()) {
    const Observations seen = observations_of(search);
    const GaussianProcess process = most_likely_process(seen.points, seen.values);
    const double best = *std::ranges::min_element(seen.values);
    const auto room = [&](double point) { return room_at(search, point); };
    const auto next = most_promising_point(process, best, task.xi, room);
    if (!next)
      return;  // a count whose every value was measured
    search.measure(task.range.at(*next));
  }
}

}  // namespace stepcast
