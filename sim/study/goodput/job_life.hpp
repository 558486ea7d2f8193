#pragma once

#include <functional>

#include "sim/study/goodput/node_faults.hpp"
#include "sim/study/goodput/young_daly.hpp"

namespace stepcast {

/// What a job does when a node fails.
enum class LossPolicy : std::uint8_t {
  Restart,  ///< With a spare; where none is free it waits for a repair.
  Wait,     ///< For the repair of this node; spares are not touched.
  Shrink,   ///< With a spare; where none is free it goes on with the nodes left, back from the last
            ///< checkpoint, and takes nodes in again when they are repaired.
  Drop,     ///< Goes on with the replicas left, from where they are: nothing is done again.
  Redo,     ///< The node comes back at once (its process failed): back to the last checkpoint.
};

/// The job's speed with so many nodes, of whose links the slowest keeps a share of its bandwidth,
/// over that of all with whole links; 0: it cannot run so.
using JobSpeed = std::function<double(std::uint32_t nodes, double link_share)>;

struct LifeOptions {
  std::uint32_t nodes = 1;  ///< That the job wants.
  std::uint32_t spares = 0;
  Seconds interval{};  ///< Of work between checkpoints, at full speed.
  CheckpointCosts costs{};
  LossPolicy policy = LossPolicy::Restart;
  Seconds length{};
  JobSpeed speed{};        ///< None: in proportion to the nodes.
  std::uint32_t bins = 0;  ///< Parts of the length in which work is counted.
};

/// Where the time of a job went; shares of the length, which add up to 1.
struct JobLife {
  double efficiency = 0;  ///< Work that stays done, in time at full speed.
  double checkpoints = 0;
  double lost = 0;  ///< Since the last checkpoint, when a fault came.
  double restarting = 0;
  double waiting = 0;                  ///< For nodes.
  double slowed = 0;                   ///< At work with fewer nodes or a slow link, less the work.
  std::uint32_t faults = 0;            ///< That stopped it; of a switch one.
  std::vector<double> efficiencies{};  ///< Of each bin, as of what was kept then.
};

/// Goes through the outages of nodes 0 .. nodes + spares - 1, in order of time. At the end the work
/// since the last checkpoint counts as done. O((outages + checkpoints) + nodes).
JobLife live(const LifeOptions& options, const std::vector<Outage>& outages);

}  // namespace stepcast
