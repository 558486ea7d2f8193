#pragma once

#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// Of the delays of each rank in a step, by how much one is beyond the mean of its stage, at most.
double most_uneven(const std::vector<double>& delays, const Job& job);

}  // namespace stepcast
