#include "sim/probe/sampling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/base/statistics.hpp"
#include "sim/probe/hardware_error.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kFewestBatches = 3;

Seconds checked(Seconds time) {
  if (!std::isfinite(time.value) || time <= Seconds{})
    throw HardwareError("the GPU's clock shows no time for a finished kernel");
  return time;
}

}  // namespace

Effort quick_effort() {
  return {.warm_ups = 1,
          .batches = 5,
          .batch_time = Seconds{3e-4},
          .budget = Seconds{0.05},
          .most_repeats = 100};
}

Sample summary_of(std::vector<Seconds> times) {
  assert(!times.empty());
  std::ranges::sort(times);
  const Seconds median = quantile_of_sorted(times, 0.5);
  return {.time = median,
          .spread = (quantile_of_sorted(times, 0.75) - quantile_of_sorted(times, 0.25)) / median,
          .samples = static_cast<std::uint32_t>(times.size())};
}

Sample measure(const TimedRun& run, const Effort& effort) {
  for (std::uint32_t i = 0; i < effort.warm_ups; ++i)
    run(1);
  const Seconds one = checked(run(1));
  const double fill = std::ceil(effort.batch_time / one);
  const auto repeats =
      static_cast<std::uint32_t>(std::clamp(fill, 1.0, static_cast<double>(effort.most_repeats)));
  const double affordable = std::floor(effort.budget / (one * repeats));
  const auto batches = static_cast<std::uint32_t>(
      std::clamp(affordable, static_cast<double>(std::min(kFewestBatches, effort.batches)),
                 static_cast<double>(effort.batches)));
  std::vector<Seconds> times;
  for (std::uint32_t i = 0; i < batches; ++i)
    times.push_back(checked(run(repeats)) / repeats);
  return summary_of(std::move(times));
}

}  // namespace stepcast
