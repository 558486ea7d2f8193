#pragma once

#include "models/network/slow_down.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// What a job's ranks computed in each recorded step, over the mean of their stage in all steps:
/// the differences between stages are no chance, those between ranks and steps are. Ranks in the
/// job's order. Throws InputError for a job in whose steps a rank computes nothing.
SlowDown::Recorded slow_downs_of(const Job& job);

}  // namespace stepcast
