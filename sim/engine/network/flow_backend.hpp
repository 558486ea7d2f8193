#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/network/flow_links.hpp"
#include "sim/engine/network/folded_nodes.hpp"
#include "sim/engine/network/network_backend.hpp"

namespace stepcast {

/// A collective pays its start-ups on a timer and then moves all bytes of a ring edge as one
/// flow (see FlowLinks), so that concurrent traffic shares links. Within 1.4 % of message by
/// message in all contention cases measured but one (3.9 %), at about 1/100 of the cost. An edge
/// may run ahead of the others of its ring without limit: where the narrowest link changes while a
/// ring runs (other traffic moves on, or a port gets slower beside the start-ups), it ends too
/// early, by up to 7 % of a step in 2,000 random jobs. Groups that are folded share the links that
/// several of them cross: all their flows move, or, where the nodes fold as well, those of one GPU
/// for each role (see FoldedNodes).
class FlowBackend : public NetworkBackend, private FlowListener {
 public:
  /// `assumes`: groups that are folded are assumed to be alike; see assumed_folding().
  /// `ports_differ`: as of make_network_backend().
  FlowBackend(const Cluster& cluster, EventQueue& queue, FoldedNodes nodes, bool assumes,
              bool ports_differ);
  /// The same on `wire`, which carries the flows in place of FlowLinks; nothing folds.
  FlowBackend(const Cluster& cluster, EventQueue& queue, std::unique_ptr<Wire> wire);
  void run_on_simgrid(bool fold) override;
  void start(const Collective& collective, const Participants& participants, Seconds delay,
             Done done) override;
  void set_ports(std::span<const Rank> ranks, double share) override;

 private:
  struct FlowPhase {
    Seconds startup{};
    std::vector<PortFlow> flows;
    std::vector<std::size_t> ends;  ///< Of each group, behind its last flow.
  };
  using Phases = std::vector<FlowPhase>;
  struct Operation {
    const Phases* phases = nullptr;
    std::unique_ptr<const Phases> own;  // of a group made on the spot
    std::size_t phase = 0;
    std::size_t in_flight = 0;  // groups of this phase
    Seconds first_end{-1};      // of one of them
    Done done;
  };
  /// Flows of one group, in a phase.
  struct GroupFlows {
    std::uint32_t operation = 0;
    std::size_t in_flight = 0;
  };

  void add_edges_inside(Phase& phase, const Collective& collective, const Group& group) const;
  Phases phases_of(const Collective& collective, const Participants& participants) const;
  FlowPhase phase_of(Seconds startup, const std::vector<std::vector<Message>>& groups) const;
  void begin_phase(std::uint32_t operation, Seconds delay);
  void start_flows(std::uint32_t operation);
  void start_flow(const PortFlow& flow, std::uint32_t group);
  void flow_arrived(std::uint32_t group) override;
  void group_arrived(std::uint32_t operation);
  void finish(std::uint32_t operation);

  const Cluster& cluster_;
  EventQueue& queue_;
  FoldedNodes nodes_;
  bool assumes_;
  bool ports_differ_;
  std::optional<FlowLinks> links_;
  std::unique_ptr<Wire> wire_;  // null: links_ carry the flows
  std::map<CollectiveKey, Phases> phases_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> idle_;  // operations_ to use again
  std::vector<GroupFlows> groups_;
  std::vector<std::uint32_t> idle_groups_;
};

}  // namespace stepcast
