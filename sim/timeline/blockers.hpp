#pragma once

#include <vector>

#include "sim/timeline/window.hpp"

namespace stepcast {

/// Something that kept the compute stream from computing: the same kind of activity without compute
/// in between, in the gap before one compute task.
struct Blocker {
  Activity activity = Activity::Idle;
  TaskId first = kNone;         ///< The first task that ran or was waited for; kNone when idle.
  TaskId last = kNone;          ///< The last of them.
  std::uint32_t count = 0;      ///< How many; tensors that were fused count as one.
  Bytes size{};                 ///< Communication: sum of their buffers.
  TaskId blocked = kNone;       ///< The compute task that could not start.
  TaskId blocked_last = kNone;  ///< The last of the run of compute of the same kind that it begins.
  bool next_step = false;       ///< The blocked task is the first of the next iteration.
  Seconds time{};               ///< How long no compute ran for this reason.
};

/// Every blocker of the window, longest first.
std::vector<Blocker> blockers_of(const Plan& plan, const Timeline& timeline, const Window& window);

}  // namespace stepcast
