#pragma once

#include "traces/readers/kineto/steps.hpp"

namespace stepcast {

/// Leaves out steps that share more than a tenth of their time with another one, as those do that
/// were recorded before and after the clock was set back: what ran in which is not known.
void leave_out_overlapping_steps(KinetoSteps& steps);

/// Puts back a step whose ProfilerStep annotation was not recorded: of two that follow each other
/// and skip one number, between which operators ran, what is between is the skipped one. Where more
/// numbers are skipped, where one of them ended is not known, and none comes back.
void restore_lost_steps(const KinetoTrace& trace, KinetoSteps& steps);

}  // namespace stepcast
