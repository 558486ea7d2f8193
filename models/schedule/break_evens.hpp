#pragma once
// Pairs of schedules of which bytes alone tell which is faster at which density.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/schedule/schedule_info.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// Two schedules, and the density at which bytes alone say that they are equally fast.
struct BreakEven {
  std::string below;  ///< Moves fewer bytes at lower densities.
  std::string above;
  double density = 0;
};

/// Those that are known among `schedules`; the family that has densities writes them. `options`: as
/// set, of whatever schedule.
std::vector<BreakEven> break_evens(std::span<const ScheduleInfo* const> schedules,
                                   const ScheduleOptions& options, const Workload& workload,
                                   std::uint32_t ranks);

}  // namespace stepcast
