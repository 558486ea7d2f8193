#pragma once

#include <string>

#include "sim/jobs/diagnose/job_at_ranks.hpp"

namespace stepcast {

/// What the job takes at the other size; `origin` names its traces.
std::string render_job_at_ranks(const std::string& origin, const JobAtRanks& result);
std::string job_at_ranks_json(const std::string& origin, const JobAtRanks& result);

}  // namespace stepcast
