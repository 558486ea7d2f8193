#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A piece of device work, from the end of its launch until it begins.
struct QueuedWork {
  Seconds launched{};
  Seconds begun{};
};

/// What a host had launched and its device not begun: kernels, copies and fills from the end of
/// their launch to their begin, over the time of the steps on the device.
struct LaunchQueue {
  double length = 0;  ///< On average.
  double empty = 0;   ///< Share of the time in which there is none: the host is hardly ahead.
};

/// `steps`: begin and end on the device, in order. None: no launch is recorded, or steps take no
/// time.
std::optional<LaunchQueue> queue_of(std::vector<QueuedWork> works,
                                    const std::vector<std::pair<Seconds, Seconds>>& steps);

}  // namespace stepcast
