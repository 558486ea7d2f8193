#pragma once

#include <cstdint>
#include <functional>

#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// When the rules of a protocol are the same again: what it says of itself.
struct Period {
  std::uint32_t iterations = 1;
  /// Iterations that bear on when one begins; 0: a period begins when all have ended the last.
  std::uint32_t memory = 1;
  std::uint32_t first = 0;  ///< Iterations before the first period, with rules of their own.

  /// Whole periods, at least so many iterations.
  std::uint32_t whole(std::uint32_t least) const {
    return (least + iterations - 1) / iterations * iterations;
  }
};

/// Iterations of a run that are counted, and whether all that follow are as these.
struct CountedRun {
  ProtocolRun run;  ///< Of the counted iterations.
  std::uint32_t iterations = 0;
  bool steady = false;
};

/// Iterations to run.
struct RunLength {
  std::uint32_t least = 20;
  std::uint32_t most = 4096;  ///< Before it gives up looking for the steady state.
};

/// What runs a job to its end.
using RunJob = std::function<ProtocolRun(const ProtocolJob&)>;

/// Where nothing is drawn: runs until the later half repeats, all workers alike, and counts whole
/// periods of what repeats, with the start-up left out. Else counts the later half of the longest
/// run. Periods are Period::iterations or, seen twice, a multiple.
CountedRun steady_run(const ProtocolJob& job, const Period& period, const RunJob& run,
                      const RunLength& length);

/// Counts the job's iterations from the first on; they are steady if they are whole periods and
/// repeat from the first on, as far as `length.most` tells.
CountedRun first_run(const ProtocolJob& job, const Period& period, const RunJob& run,
                     const RunLength& length);

}  // namespace stepcast
