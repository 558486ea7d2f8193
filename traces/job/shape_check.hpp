#pragma once

#include <cstdint>
#include <string>

#include "traces/job/job_shape.hpp"

namespace stepcast {

/// Throws InputError, `<origin>: expected .., as the job file says, found ..`, for a job file that
/// contradicts itself, or the traces of a job on so many GPUs.
void check_job_shape(const JobShape& shape, std::uint32_t gpus, const std::string& origin);

}  // namespace stepcast
