#pragma once

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// What each rank does in a step, without its slow-down.
std::vector<RankUse> rank_uses(const JobReplay& replay);

}  // namespace stepcast
