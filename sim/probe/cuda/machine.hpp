#pragma once

#include "traces/formats/stepcast/experiments/hardware_results.hpp"

namespace stepcast {

/// What the current device and its host are; gpus and nodes are the caller's to fill in.
Machine machine_of_device();

}  // namespace stepcast
