#pragma once

#include <optional>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// Long delays of single ranks, now of one and now of another (garbage collection stops a process),
/// where most of what delays cost goes with them. Long are those of more than 2 % of the usual step
/// and ten times the usual delay, in steps in which at most a quarter of the ranks has one; three
/// at least, of more than one rank.
std::optional<JobVerdict> pauses_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                         const VerdictThresholds& thresholds);

}  // namespace stepcast
