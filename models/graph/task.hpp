#pragma once

#include <cstdint>
#include <limits>

#include "models/base/fields.hpp"
#include "models/base/units.hpp"

namespace stepcast {

using TaskId = std::uint32_t;    ///< Index of a task in its graph, in plan order.
using StreamId = std::uint32_t;  ///< Index of a stream of a plan; every rank has all streams.
using TeamId = std::uint32_t;    ///< Index of a team of a plan; 0: all ranks, as one group.
using PhaseId = std::uint16_t;   ///< Index of a phase of a plan: what a task is for.

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

enum class TaskKind : std::uint8_t { Forward, Backward, Update, OtherCompute, Communication };

/// One operation of one iteration, executed by every rank of its team (SPMD): compute on each of
/// them by itself, or one communication in each of the team's groups.
struct Task {
  TaskKind kind = TaskKind::OtherCompute;
  bool on_host = false;  ///< Compute: the host works, and the device waits for it.
  PhaseId phase = 0;
  StreamId stream = 0;
  TeamId team = 0;
  std::uint32_t layer = kNone;       ///< Forward and backward: the layer.
  std::uint32_t collective = kNone;  ///< Communication: index into the plan's collectives.
  std::uint32_t label = kNone;       ///< Index into the plan's labels.
  Seconds duration{};                ///< Compute: time on the profiled device.
};

static_assert(sizeof(Task) <= 32, "recorded jobs have millions of them");

auto fields_of(Is<Task> auto& task) {
  auto& [kind, on_host, phase, stream, team, layer, collective, label, duration] = task;
  return std::tie(kind, on_host, phase, stream, team, layer, collective, label, duration);
}

}  // namespace stepcast
