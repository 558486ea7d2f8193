#pragma once

#include <cstdint>
#include <vector>

#include "sim/study/diagnose/diagnosis.hpp"
#include "sim/study/diagnose/job_replay.hpp"

namespace stepcast {

/// Whether it receives a message and began when that was sent, or before: nobody waits for its
/// rank's host, which may have asked for it late.
bool begins_with_message(const JobReplay& replay, std::size_t step, std::uint32_t place);

/// Where the time of a rank goes in a recorded step. Each instant counts once, with the first of
/// these that is so: the rank computes, transfers, copies, waits in a meeting for others, or is
/// ready and its host has launched nothing; all else is `other`.
void add_rank_times(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses);

/// Counts kernels of less than 10 us, which cost the host more than the device. Precondition: the
/// uses' short_kernels have values.
void add_short_kernels(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses);

}  // namespace stepcast
