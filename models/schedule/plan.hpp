#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/base/note.hpp"
#include "models/collective/collective.hpp"
#include "models/graph/task_graph.hpp"
#include "models/network/cluster.hpp"
#include "models/network/team.hpp"
#include "models/schedule/memory_use.hpp"

namespace stepcast {

/// Tasks start in plan order, each when the one before it on the same rank has finished.
struct InOrder {};

auto fields_of(Is<InOrder> auto& /*rule*/) {
  return std::tuple<>();
}

/// Of the ready tasks the one with the lowest priority value is handed over first; several may be
/// handed over as long as their bytes fit the credit (ByteScheduler). Those handed over start in
/// that order, `at_once` of them running at the same time.
struct ByPriority {
  Bytes credit{};             ///< 0: one task at a time.
  std::uint32_t at_once = 0;  ///< 0: all that are handed over; 1: as on one NCCL stream.
  bool takes_turns = false;   ///< One thread pays the overheads, of one after the other.
};

auto fields_of(Is<ByPriority> auto& rule) {
  auto& [credit, at_once, takes_turns] = rule;
  return std::tie(credit, at_once, takes_turns);
}

/// A background thread wakes `cycle` after it last woke, agrees with all ranks on the tensors that
/// all have announced, fuses them in that order up to `fusion` and hands over each fused buffer
/// when its data are there (Horovod); those are communicated one after the other.
struct Negotiated {
  Seconds cycle{};
  Seconds per_cycle{};   ///< One negotiation.
  Seconds per_tensor{};  ///< Added for each tensor in it.
  Bytes fusion{};        ///< 0: no fusion.
};

auto fields_of(Is<Negotiated> auto& rule) {
  auto& [cycle, per_cycle, per_tensor, fusion] = rule;
  return std::tie(cycle, per_cycle, per_tensor, fusion);
}

using DispatchRule = std::variant<InOrder, ByPriority, Negotiated>;

struct Stream {
  std::string name;  ///< "compute", "all-reduce", ...
  DispatchRule rule = InOrder{};
};

auto fields_of(Is<Stream> auto& stream) {
  auto& [name, rule] = stream;
  return std::tie(name, rule);
}

/// A collective of a plan.
struct PlannedCollective {
  Collective collective;
  std::int32_t priority = 0;  ///< For ByPriority streams; lower goes first.
  Seconds overhead{};         ///< Software time before it moves: negotiation, a server's sum.
  bool ideal = false;   ///< Costs no launch and slows no compute down: for bounds and arrivals.
  bool fusable = true;  ///< On a Negotiated stream: may travel with others.
};

auto fields_of(Is<PlannedCollective> auto& planned) {
  auto& [collective, priority, overhead, ideal, fusable] = planned;
  return std::tie(collective, priority, overhead, ideal, fusable);
}

/// From a task to one that starts `iterations` iterations on.
struct LaterEdge {
  TaskId before = 0;
  TaskId after = 0;
  std::uint32_t iterations = 1;
};

auto fields_of(Is<LaterEdge> auto& edge) {
  auto& [before, after, iterations] = edge;
  return std::tie(before, after, iterations);
}

/// A task that starts when `needed` of all its predecessors have finished, whichever come first.
struct Quorum {
  TaskId task = 0;
  std::uint32_t needed = 0;
};

auto fields_of(Is<Quorum> auto& quorum) {
  auto& [task, needed] = quorum;
  return std::tie(task, needed);
}

/// What a training step of a plan is, in numbers.
struct Summary {
  std::uint32_t workers = 1;  ///< Ranks that train; the others serve.
  std::uint32_t passes = 1;   ///< Mini-batches that a worker works through in a step.
  double samples = 0;         ///< Of all workers, in all passes.
  bool compressed = false;    ///< Sends less than the gradients.
  bool bound = false;         ///< What no system can beat, and none.
  std::uint32_t stages = 1;   ///< Of a pipeline.
};

auto fields_of(Is<Summary> auto& summary) {
  auto& [workers, passes, samples, compressed, bound, stages] = summary;
  return std::tie(workers, passes, samples, compressed, bound, stages);
}

/// The phases that every plan has, by kind of task.
inline std::vector<std::string> usual_phases() {
  return {"forward", "backward", "update", "other", "communication"};
}

/// Phases of tasks of the compute stream that stand for messages which nothing overlaps: inside
/// layers (tensor, context and expert parallelism), and between stages that block sender and
/// receiver. Reports count them as exposed communication.
inline constexpr std::string_view kMessagesInLayers = "messages in layers";
inline constexpr std::string_view kBlockingMessages = "blocking messages";

/// The phase of tasks that do nothing but repeat forward passes.
inline constexpr std::string_view kRecomputation = "recomputation";

inline bool is_message_phase(std::string_view phase) {
  return phase == kMessagesInLayers || phase == kBlockingMessages;
}

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
  Summary summary;
  TaskGraph graph;
  std::vector<TaskGraph::Edge> next;
  std::vector<LaterEdge> later;  ///< Over two iterations or more.
  std::vector<Quorum> quorums;
  /// From a task to a communication on a Negotiated stream that its end announces, ahead of the
  /// data: the host has issued it. Others are announced when they are ready.
  std::vector<TaskGraph::Edge> announcements;
  std::vector<Stream> streams;  ///< Stream 0 is "compute".
  StreamId host = kNone;        ///< What hosts do beside their devices: see with_host().
  std::vector<PlannedCollective> collectives;
  std::vector<Team> teams;  ///< Team 0: all ranks, as one group.
  std::vector<std::string> labels;
  std::vector<std::string> phases = usual_phases();  ///< What tasks are for, as reports name it.
  /// The share of each layer's backward pass that repeats its forward pass; empty: none does.
  std::vector<double> recomputed;
  /// First tasks of the training steps after the first; empty where an iteration is one step.
  std::vector<TaskId> later_steps;
  MemoryUse memory;  ///< Of a worker.
  Notes notes;       ///< Options that were set but cannot matter here, what is left out.
};

auto fields_of(Is<Plan> auto& plan) {
  auto& [schedule, summary, graph, next, later, quorums, announcements, streams, host, collectives,
         teams, labels, phases, recomputed, later_steps, memory, notes] = plan;
  return std::tie(schedule, summary, graph, next, later, quorums, announcements, streams, host,
                  collectives, teams, labels, phases, recomputed, later_steps, memory, notes);
}

/// "forward", "packing", ..
inline const std::string& phase_of(const Plan& plan, const Task& task) {
  return plan.phases[task.phase];
}

/// Whether the task moves data: a collective, or messages that stand on the compute stream.
inline bool communicates(const Plan& plan, const Task& task) {
  return task.kind == TaskKind::Communication || is_message_phase(phase_of(plan, task));
}

inline std::uint32_t steps_of(const Plan& plan) {
  return static_cast<std::uint32_t>(plan.later_steps.size() + 1);
}

}  // namespace stepcast
