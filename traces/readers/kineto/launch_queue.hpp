#pragma once

#include <optional>

#include "traces/readers/kineto/device_work.hpp"

namespace stepcast {

/// What a host had launched and its device not begun: kernels, copies and fills from the end of
/// their launch to their begin, over the time of the steps on the device.
struct LaunchQueue {
  double length = 0;  ///< On average.
  double empty = 0;   ///< Share of the time in which there is none: the host is hardly ahead.
};

/// None: no launch is recorded.
std::optional<LaunchQueue> launch_queue(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
