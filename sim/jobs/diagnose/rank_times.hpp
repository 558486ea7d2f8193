#pragma once

#include <cstdint>
#include <vector>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// Where the time of a rank goes in a recorded step. Each instant counts once, with the first of
/// these that is so: the rank computes, transfers, copies, waits in a meeting for others, or is
/// ready and its host has launched nothing; all else is `other`.
void add_rank_times(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses);

/// Counts kernels of less than 10 us, which cost the host more than the device. Precondition: the
/// uses' short_kernels have values.
void add_short_kernels(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses);

}  // namespace stepcast
