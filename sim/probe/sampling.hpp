#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// How much is spent on one point.
struct Effort {
  std::uint32_t warm_ups = 3;
  std::uint32_t batches = 15;        ///< Timed; at least 3 whatever the budget.
  Seconds batch_time{1e-3};          ///< Short kernels are repeated to fill it.
  Seconds budget{0.3};               ///< Of all batches of a point.
  std::uint32_t most_repeats = 400;  ///< In a batch.
};

Effort quick_effort();

/// What came of it, for one execution.
struct Sample {
  Seconds time{};             ///< Median of the batches.
  double spread = 0;          ///< Interquartile range over median.
  std::uint32_t samples = 0;  ///< Batches.
};

/// Runs something `repeats` times back to back and returns the time of all.
using TimedRun = std::function<Seconds(std::uint32_t repeats)>;

/// Warms up, chooses how often to repeat, and times the batches. Throws HardwareError if a batch
/// takes no time or an unknown one, which only a broken clock explains.
Sample measure(const TimedRun& run, const Effort& effort);

/// Median and interquartile range over median (quartiles interpolated). At least one time.
Sample summary_of(std::vector<Seconds> times);

}  // namespace stepcast
