#pragma once

#include <vector>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// What collectives and messages cost, those of one kind among the same ranks together; by the time
/// in which their ranks do nothing else, largest first, and of many the first 64.
std::vector<MeetingCost> meeting_costs(const JobReplay& replay);

}  // namespace stepcast
