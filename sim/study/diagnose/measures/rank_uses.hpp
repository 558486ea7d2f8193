#pragma once

#include "sim/study/diagnose/diagnosis.hpp"
#include "sim/study/diagnose/job_replay.hpp"

namespace stepcast {

/// What each rank does in a step, without its slow-down.
std::vector<RankUse> rank_uses(const JobReplay& replay);

}  // namespace stepcast
