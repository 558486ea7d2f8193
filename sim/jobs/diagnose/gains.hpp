#pragma once

#include <cstdint>
#include <vector>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// How long a step takes if one thing about it were better, of which all but the host's gaps are
/// replayed without delays: with them, receives would begin no earlier than recorded. `worst` are
/// the ranks that hold up others most.
Gains gains_of(const JobReplay& replay, const std::vector<std::uint32_t>& worst);

}  // namespace stepcast
