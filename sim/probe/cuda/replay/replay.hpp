#pragma once

#include <vector>

#include "sim/probe/cuda/world/nccl_world.hpp"
#include "sim/probe/hardware.hpp"

namespace stepcast {

/// Times the products and copies that a replay is made of, on the current device and warm.
ReplayCalibration calibrate_replay();

/// Executes the programs again and again: a CUDA stream for each stream of the plan, an event for
/// each dependency. `members` are the GPUs of the programs, in their order; with real communication
/// they are all GPUs of this process. One thread hands over the tasks of all GPUs in one order, so
/// that every GPU sees the collectives in the same order.
ReplayMeasurement replay_on_cuda(const ExportedPlan& plan,
                                 const std::vector<ReplayProgram>& programs,
                                 const std::vector<Member>& members, ProcessTeam& team,
                                 std::uint32_t iterations);

}  // namespace stepcast
