#pragma once

#include <optional>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// The rank that computes longest against that of its stage which computes shortest, and the kinds
/// of computation in which it loses most. None: no stage's ranks differ by more than 2 %.
std::optional<UnevenKernels> uneven_kernels(const JobReplay& replay,
                                            const std::vector<RankUse>& uses);

}  // namespace stepcast
