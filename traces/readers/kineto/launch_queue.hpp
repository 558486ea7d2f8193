#pragma once

#include <optional>

#include "traces/readers/kineto/device_work.hpp"
#include "traces/readers/ranks/queued_work.hpp"

namespace stepcast {

/// None: no launch is recorded.
std::optional<LaunchQueue> launch_queue(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
