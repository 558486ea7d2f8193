#pragma once

#include <optional>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// Collectives in which ranks send different amounts (all-to-alls of experts or embeddings), where
/// the step would be shorter by more than the threshold of delays if all sent the mean. One takes
/// as long as its largest amount; of the mean it would take that share of the time. What they cost
/// is no waste of the even job, whose transfers are as long.
std::optional<JobVerdict> collectives_verdict(const Diagnosis& diagnosis, const JobReplay& replay,
                                              const VerdictThresholds& thresholds);

}  // namespace stepcast
