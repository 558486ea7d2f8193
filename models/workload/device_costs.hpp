#pragma once

#include <string>

#include "models/workload/workload.hpp"

namespace stepcast {

/// What kernels take on the workload's device, which its file does not hold: the same bytes for the
/// same costs, see bytes_of().
std::string bytes_of_device_costs(const Workload& workload);

}  // namespace stepcast
