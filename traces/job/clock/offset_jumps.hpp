#pragma once

#include <vector>

#include "traces/job/clock/clock_jumps.hpp"
#include "traces/job/clock/step_offsets.hpp"

namespace stepcast {

/// The jumps that common ends tell, between steps: smaller ones than bounds allow, and those behind
/// a pause of the recording, during which a clock may drift by far more.
///
/// Where the offsets of up to 16 steps before and as many behind lie on two lines of one slope
/// (Theil's, within the sides), the clock jumped if these are apart by more than a millisecond, by
/// more than crystals wander (2 ppm of the pause), and by five standard errors, of which that of
/// the slope grows with the pause. Three steps on either side tell that it did, and of these the
/// lines that fit best since when: one step alone at an end is no jump. Of many hosts
/// most are taken not to have jumped, and none has that messages with such a one do not let jump
/// (jump_bounds.hpp): some ranks end collectives earlier than others, and may begin or cease to.
/// `known` jumps part the steps, and no line crosses them. By step.
std::vector<ClockJump> jumps_of_offsets(const StepOffsets& offsets, const ClockEvidence& evidence,
                                        const std::vector<ClockJump>& known);

}  // namespace stepcast
