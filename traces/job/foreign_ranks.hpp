#pragma once

#include "traces/job/job.hpp"

namespace stepcast {

/// Throws InputError for profiles of two jobs: `<file>: ..` of a rank that has less than half of
/// its collectives (by name, as often in these steps) in common with the first rank of its stage.
/// Nor may a rank run a collective of all ranks more often in a usual step than any other rank in
/// any step, or in every step less often than all others usually: of at least five steps, as events
/// may be lost. Sets Job::unlike where that holds for its kernels: libraries choose others for
/// other devices. Nothing is known of stages where ranks send messages and the job file does not
/// say how many there are.
void refuse_foreign_ranks(Job& job);

}  // namespace stepcast
