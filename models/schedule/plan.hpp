#pragma once

#include <string>
#include <variant>
#include <vector>

#include "models/collective/collective.hpp"
#include "models/graph/task_graph.hpp"
#include "models/network/cluster.hpp"
#include "models/network/team.hpp"

namespace stepcast {

/// Tasks start in plan order, each when the one before it on the same rank has finished.
struct InOrder {};

/// Of the ready tasks the one with the lowest priority value is handed over first; several may be
/// handed over as long as their bytes fit the credit (ByteScheduler). Those handed over start in
/// that order, `at_once` of them running at the same time.
struct ByPriority {
  Bytes credit{};             ///< 0: one task at a time.
  std::uint32_t at_once = 0;  ///< 0: all that are handed over; 1: as on one NCCL stream.
};

/// A background thread wakes `cycle` after it last woke, agrees with all ranks on the tensors that
/// are ready everywhere, fuses them in ready order up to `fusion` and communicates each fused
/// buffer (Horovod).
struct Negotiated {
  Seconds cycle{};
  Seconds per_cycle{};   ///< One negotiation.
  Seconds per_tensor{};  ///< Added for each tensor in it.
  Bytes fusion{};        ///< 0: no fusion.
};

using DispatchRule = std::variant<InOrder, ByPriority, Negotiated>;

struct Stream {
  std::string name;  ///< "compute", "all-reduce", ...
  DispatchRule rule = InOrder{};
};

/// A collective of a plan.
struct PlannedCollective {
  Collective collective;
  std::int32_t priority = 0;  ///< For ByPriority streams; lower goes first.
  Seconds overhead{};         ///< Software time before it moves: negotiation, a server's sum.
  bool ideal = false;         ///< Costs no launch and slows no compute down: for bounds.
  bool fusable = true;        ///< On a Negotiated stream: may travel with others.
};

/// From a task to one that starts `iterations` iterations on.
struct LaterEdge {
  TaskId before = 0;
  TaskId after = 0;
  std::uint32_t iterations = 1;
};

/// A task that starts when `needed` of all its predecessors have finished, whichever come first.
struct Quorum {
  TaskId task = 0;
  std::uint32_t needed = 0;
};

/// What second-order training keeps on the rank that holds most; zero for first-order training.
struct SecondOrderMemory {
  Bytes factors{};         ///< Running averages of the Kronecker factors it constructs.
  Bytes inverses{};        ///< Those it computes or receives.
  Bytes kept_by_hooks{};   ///< Gradients of layer outputs until G is made of them.
  Bytes preconditioned{};  ///< Preconditioned gradients, until the update.

  Bytes total() const { return factors + inverses + kept_by_hooks + preconditioned; }
};

/// One iteration of a schedule on every rank, and how it continues into the next iteration.
///
/// Ranks are alike (SPMD) except for membership in teams. Order within an in-order stream is plan
/// order (task id); `graph` holds only the dependencies across streams. An edge of `next` goes from
/// a task of one iteration to a task of the following one.
///
/// Where training steps differ (local steps, an inverse every tenth step), an iteration of the plan
/// is one period of several steps, and reports give times per step.
struct Plan {
  std::string schedule;
  TaskGraph graph;
  std::vector<TaskGraph::Edge> next;
  std::vector<LaterEdge> later;  ///< Over two iterations or more.
  std::vector<Quorum> quorums;
  std::vector<Stream> streams;  ///< Stream 0 is "compute".
  std::vector<PlannedCollective> collectives;
  std::vector<Team> teams;  ///< Team 0: all ranks, as one group.
  std::vector<std::string> labels;
  /// First tasks of the training steps after the first; empty where an iteration is one step.
  std::vector<TaskId> later_steps;
  SecondOrderMemory second_order;
  /// Options that were set but cannot matter here, each as a sentence.
  std::vector<std::string> notes;
};

inline std::uint32_t steps_of(const Plan& plan) {
  return static_cast<std::uint32_t>(plan.later_steps.size() + 1);
}

}  // namespace stepcast
