#pragma once

#include <cstdint>
#include <vector>

#include "traces/job/clock/step_offsets.hpp"

namespace stepcast {

/// Hosts of a second job: from step to step their offsets move against the first host's ten times
/// as far as others' do, and by 100 us at least, as those of a bad clock would. But what one
/// clock does, it does to all ends of a step, and those that arrive early wait for the others:
/// these ends move within the steps, too, or the last of either set to arrive takes as long as that
/// of the other. Empty: of one job, or of less than five steps.
std::vector<std::uint32_t> uncoupled_hosts(const ClockEvidence& evidence,
                                           const StepOffsets& offsets);

}  // namespace stepcast
