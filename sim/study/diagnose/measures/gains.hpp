#pragma once

#include <cstdint>
#include <vector>

#include "sim/study/diagnose/diagnosis.hpp"
#include "sim/study/diagnose/job_replay.hpp"

namespace stepcast {

/// How long a step takes, replayed without delays, if one thing about it were better: with them,
/// receives would begin no earlier than recorded. `worst` are the ranks that hold up others most.
Gains gains_of(const JobReplay& replay, const std::vector<std::uint32_t>& worst);

}  // namespace stepcast
