#pragma once

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// Judges a diagnosis that is complete but for this. In this order: a worker (the worst ranks
/// explain the waste, or all that compute longer than the others, such as those of a node), data
/// (passes of a micro-batch are slow forward and backward, on changing ranks, and that costs more
/// than uneven stages), a stage, single pauses of the host (slow forward passes whose backward
/// passes are not), transfers, launches, the network as such. None that compares ranks where
/// nothing joins their clocks.
JobVerdict verdict_of(const Diagnosis& diagnosis, const JobReplay& replay,
                      const VerdictThresholds& thresholds);

}  // namespace stepcast
