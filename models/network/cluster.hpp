#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.hpp"
#include "models/base/provenance.hpp"
#include "models/base/units.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast {

using Rank = std::uint32_t;  ///< Worker (GPU) number, from 0. Rank r is on node r / gpus_per_node.

/// One direction of a full-duplex connection, as a training job sees it.
struct Link {
  BytesPerSecond bandwidth{};  ///< Effective, not nominal.
  Seconds startup{};           ///< Paid by every step (message) that crosses it.
};

/// Racks of `nodes` nodes whose uplink carries nodes * their bandwidth / oversubscription.
struct RackLevel {
  std::uint32_t nodes = 1;
  double oversubscription = 1;
  Seconds startup{};  ///< Added to the NIC's start-up by a step that leaves the rack.
};

/// What computing and communicating at once costs.
struct Overlap {
  /// While a GPU takes part in at least one running collective, its compute runs 1 +
  /// compute_slowdown times slower: communication kernels take multiprocessors and memory
  /// bandwidth.
  double compute_slowdown = 0;
  /// A collective that starts while a member computes first waits for this fraction of the task
  /// (the layer's pass) that runs there: its kernel gets multiprocessors only when the running
  /// kernel has handed out its last blocks.
  double launch_wait = 0;
  /// While a GPU computes, its port is 1 + communication_slowdown times slower: the kernels that
  /// copy and reduce for the network share multiprocessors and memory with those that compute.
  double communication_slowdown = 0;
};

/// Costs of the training software.
struct Software {
  Seconds collective_launch{};  ///< Host and launch overhead of every collective.
  /// And more for one of point-to-point messages (all-to-all, send) that leaves its node: each pair
  /// of ranks meets before the first byte, by the hosts' proxy threads.
  Seconds point_to_point_launch{};
  Seconds horovod_cycle{1e-3};      ///< Pause between two negotiations.
  Bytes horovod_fusion{134217728};  ///< Fusion buffer.
  Seconds negotiation_per_cycle{};  ///< One negotiation over all ranks,
  Seconds negotiation_per_rank{};   ///< and more for each of them.
  /// Horovod's coordinator, for each tensor and rank (0 with the response cache on): a tensor costs
  /// this times the number of ranks.
  Seconds negotiation_per_request{};
  Seconds bytescheduler_hook{};  ///< A gradient, on the compute stream; else host_per_gradient.
  Seconds ps_per_partition{};    ///< A push or pull: host work at worker and server.
  BytesPerSecond ps_sum_bandwidth{};  ///< At which a server takes in and adds up pushes; 0: free.
  /// Mean delay of a rank in a step, as a share of its compute, where a synchronous step waits for
  /// the slowest rank: see jitter_scale().
  double jitter = 0;
  /// The same, once, where the ranks are on several nodes: what nodes differ by and a step waits
  /// for however many there are.
  double jitter_between_nodes = 0;
  /// Work of the process that drives a GPU, one thing after the other; see with_host(). For each
  /// kernel of a layer's pass, where the workload counts them,
  Seconds host_per_launch{};
  Seconds host_per_gradient{};    ///< hook and bucket of a gradient in the backward pass,
  Seconds host_per_update{};      ///< the update of a parameter,
  Seconds host_per_collective{};  ///< and for handing over a collective.
};

/// What the schedules need to know of the GPU beside the trace.
struct Device {
  std::string name;
  BytesPerSecond memory_bandwidth{};  ///< For copies into and out of fusion buffers; 0: free.
  Bytes memory{};                     ///< 0 if unknown.
};

/// A cluster of equal nodes. Every GPU has a port (intra_node) that all its traffic crosses;
/// traffic to another node also crosses the NICs of the two nodes, and to another rack the two rack
/// uplinks.
struct Cluster {
  std::string name;
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;
  Link intra_node;
  Link nic;                ///< One adapter of a node.
  std::uint32_t nics = 1;  ///< Adapters of a node; its GPUs share them as one: node_link().
  /// What the process of one GPU can copy into and out of sockets: over TCP a node of few GPUs does
  /// not fill its NIC. 0: it can.
  BytesPerSecond nic_per_gpu{};
  std::optional<RackLevel> rack;
  Overlap overlap;
  Software software;
  Device device;
  /// Benchmarked collectives, fitted; they take the place of closed forms where they apply.
  std::optional<MeasuredCollectives> measured;
  Provenance provenance;
  std::vector<std::string> costs_not_given;  ///< Paths of costs that the file leaves out: 0.

  std::uint32_t ranks() const { return nodes * gpus_per_node; }
};

/// An ordered set of ranks that communicate (a communicator).
struct Group {
  std::vector<Rank> ranks;
  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
};

auto fields_of(Is<Group> auto& group) {
  auto& [ranks] = group;
  return std::tie(ranks);
}

/// All ranks of the cluster in order.
Group world_of(const Cluster& cluster);

inline std::uint32_t node_of(const Cluster& cluster, Rank rank) {
  return rank / cluster.gpus_per_node;
}

/// Rack of a rank; 0 without a rack level.
std::uint32_t rack_of(const Cluster& cluster, Rank rank);

/// What joins a node to the network: all its adapters as one, or what its GPUs' processes can copy
/// where that is less. NCCL lays rings and trees through each of them, so that even a collective
/// with one message a node fills all; messages that cross at the same time share them fairly.
Link node_link(const Cluster& cluster);

/// Bandwidth of one rack's uplink. Precondition: cluster.rack.
BytesPerSecond uplink_bandwidth(const Cluster& cluster);

/// What waiting for the slowest rank multiplies a rank's compute by: 1 + jitter (H_n - 1) over n
/// ranks, H_n = 1 + 1/2 + ... + 1/n. Delays are taken as independent, never negative and
/// exponentially distributed, so that the largest of n is H_n times the mean of one; a trace of one
/// rank has the mean of one in it. On several nodes software.jitter_between_nodes comes on top.
double jitter_scale(const Cluster& cluster);

/// Start-up of one message: the intra-node, NIC or NIC + rack start-up, by the distance.
Seconds startup_of(const Cluster& cluster, Rank from, Rank to);

}  // namespace stepcast
