#pragma once

#include <cstdint>
#include <vector>

#include "traces/job/clock/clock_evidence.hpp"

namespace stepcast {

/// A host's clock that is set anew: in a step, or between it and the step before.
struct ClockJump {
  std::uint32_t host = 0;
  std::uint32_t step = 0;
  bool within = false;      ///< What was recorded in the step contradicts itself.
  std::uint32_t other = 0;  ///< A host whose clock it contradicts.
  double seconds = 0;       ///< At least by so much.
};

/// The jumps that bounds tell: of two hosts whatever both took part in allows a range of offsets.
/// A clock jumped where the ranges of a step, or of a step and the one before, share none, by more
/// than clocks drift; of many pairs of hosts the clock that most of them share. Steps count through
/// or each from zero. By step.
std::vector<ClockJump> clock_jumps(const ClockEvidence& evidence);

}  // namespace stepcast
