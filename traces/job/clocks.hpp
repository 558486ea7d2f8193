#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

struct Job;

/// The clock of a host (of a rank, where hosts are not known) against the first one of its part.
struct HostClock {
  std::string name;                  ///< The host, or "rank 6".
  std::vector<std::uint32_t> ranks;  ///< Into Job::ranks.
  std::uint32_t part = 0;            ///< Hosts that no collective or pair of messages joins differ.
  Seconds offset{};                  ///< Its time minus the first one's, where steps begin.
  double drift = 0;                  ///< Seconds a second that it gains on the first one's.
  /// Half of the collectives' ends lie within so much of the offset; between stages as much as
  /// messages would let it move.
  Seconds half_width{};
  std::size_t collectives = 0;        ///< That say so.
  std::size_t violations_before = 0;  ///< Of: nobody ends before the last has begun.
  std::size_t violations_after = 0;
};

/// A clock that was set anew in a step, or before it; the step is left out.
struct JumpedClock {
  std::string host;
  std::string step;
  std::string against;  ///< A host whose clock it contradicts,
  Seconds by{};         ///< at least by so much, or (ends of collectives tell) about.
};

struct JobClocks {
  std::vector<HostClock> hosts;
  std::vector<JumpedClock> jumps;
  std::size_t left_out = 0;      ///< Steps in which clocks jump and, of profiles, those behind.
  std::size_t contradicted = 0;  ///< Steps in which clocks contradict each other, if these are too
                                 ///< many to be jumps;
  bool by_hosts = false;         ///< and no two ranks' do: hosts are not those that were told.
  Seconds residual{};            ///< Median |end - common end| over all, after alignment.
  bool by_step = false;          ///< Offsets move from step to step and were found for each.
  std::uint32_t parts = 1;       ///< Of a step; beyond 1: their times cannot be compared.
  std::vector<std::uint32_t> uncoupled;  ///< Hosts for which no other waits, nor they for these.
};

/// Puts all operations of a job on one clock, and counts times from the begin of each step: its
/// first operation's, or the last mark (JobWork::Host) of where a rank's step before ended. What
/// ran before is cut off.
///
/// A step in which a clock jumps (clock_jumps.hpp) is left out, and the clock
/// behind it is another one. Where clocks contradict each other in more than half of the steps,
/// none jumped.
///
/// Collectives of one kind end on all members at about the same time, so the offsets are those
/// with the least weighted sum of |end - common end - offset|: medians over members and over
/// collectives in turn, each kind weighing as the inverse of its spread; sub-groups do if they
/// connect all hosts. What messages say (none arrives before it was sent) joins parts that
/// collectives do not. Drifts (Theil's slopes) and offsets for each step are kept if they lower the
/// median residual (drifts: that of a host of the part) by a third. A clock drifts if it differs
/// from the median of its part by five standard errors; drifts that leave more ends too early are
/// none. Last, offsets are moved as little as needed for nobody to end before the last has begun.
JobClocks put_on_one_clock(Job& job);

}  // namespace stepcast
