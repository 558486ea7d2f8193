#pragma once

#include "traces/job/job.hpp"

namespace stepcast {

/// Throws InputError for profiles of two jobs: `<file>: ..` of a rank that has less than half of
/// its operations (kernels and collectives by name, as often in these steps) in common with the
/// first rank of its stage. Ranks of one stage run the same, but for what is lost and what their
/// libraries choose. Nothing is known of stages where ranks send messages and the job file does not
/// say how many there are.
void refuse_foreign_ranks(const Job& job);

}  // namespace stepcast
