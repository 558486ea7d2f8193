#pragma once

#include "sim/search/plan/plan_space.hpp"

namespace stepcast {

/// Throws InputError where no value that the user lists of a part of the layout (tp, pp, cp, ep,
/// micro_batch) can be had on any of the sites, and notes values that cannot where others can:
/// candidates that do not cut the model would be all that is left. To be called with all candidates
/// of the space written down.
void check_fixed_layouts(PlanSpace& space);

}  // namespace stepcast
