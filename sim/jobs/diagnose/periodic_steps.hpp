#pragma once

#include <optional>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// Steps that come again and again and are longer than the others (checkpoints, evaluations), where
/// these explain what the job takes too long. Steps are long from 1.2 times the median on,
/// with passes and transfers as long as usual: what is left are delays and work that is neither, as
/// long as on the median rank. By their numbers all that are recorded a period apart must be long,
/// three at least and less than half, and no others.
std::optional<JobVerdict> checkpoints_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                              const VerdictThresholds& thresholds);

}  // namespace stepcast
