#pragma once

#include <cstdint>
#include <vector>

#include "traces/job/clock/step_offsets.hpp"

namespace stepcast {

/// Hosts of a second job: of two sets the one that has not the first of their hosts.
///
/// How long a host's steps take from its first work to the ends that are common no clock changes,
/// and in one job it is the same on all ranks of a stage, but for who starts late. Hosts that send
/// each other messages are of one set, then those nearest to each other in that, joined in turn
/// (single linkage, over medians of the steps); the sets that remain are apart by 100 us at least,
/// and by ten times the usual distance. They are two jobs' if, besides, nobody waits for who starts
/// late (the last of either set to arrive takes as long as that of the other), or if ends move
/// within the steps, which no clock does: by a tenth of that, and both by more than a millisecond.
/// Empty: of one job, or of less than five steps.
std::vector<std::uint32_t> uncoupled_hosts(const ClockEvidence& evidence,
                                           const StepOffsets& offsets);

}  // namespace stepcast
