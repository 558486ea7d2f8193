#pragma once

#include <cstdint>
#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"

namespace stepcast {

/// Returns the numbers of the job's data-parallel ranks, recorded or not, in ascending order: as
/// many as the job file says (`shape`), or more if these cannot be all. If as many are recorded as
/// it says, none is missing between them. Uses the ranks and the number of stages of `job`.
std::vector<std::uint32_t> data_groups(const Job& job, const JobShape& shape);

}  // namespace stepcast
