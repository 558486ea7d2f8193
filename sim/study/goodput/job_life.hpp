#pragma once

#include "sim/study/goodput/node_faults.hpp"
#include "sim/study/goodput/young_daly.hpp"

namespace stepcast {

/// What a job does when a node fails and no spare is free.
enum class LossPolicy : std::uint8_t {
  Wait,    ///< Until a node is repaired.
  Shrink,  ///< Goes on with those left, at their share of the speed; restarts when one is back.
};

struct LifeOptions {
  std::uint32_t nodes = 1;  ///< That the job wants.
  std::uint32_t spares = 0;
  Seconds interval{};  ///< Of work between checkpoints, at full speed.
  CheckpointCosts costs{};
  LossPolicy policy = LossPolicy::Wait;
  Seconds length{};
};

/// Where the time of a job went; shares of the length.
struct JobLife {
  double efficiency = 0;  ///< Work that stays done, in time at full speed.
  double checkpoints = 0;
  double lost = 0;  ///< Since the last checkpoint, when a fault came.
  double restarting = 0;
  double waiting = 0;        ///< For nodes.
  std::uint32_t faults = 0;  ///< That stopped it.
};

/// Goes through the outages of nodes 0 .. nodes + spares - 1, in order of time. At the end the work
/// since the last checkpoint counts as done. O((outages + checkpoints) + nodes).
JobLife live(const LifeOptions& options, const std::vector<Outage>& outages);

}  // namespace stepcast
