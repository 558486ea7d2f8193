#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/options.hpp"
#include "models/schedule/pending.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// What a compute verb takes beside the time.
struct ComputeOptions {
  std::string phase{};  ///< What it is for, as reports name it; default: "other".
  TeamId team = 0;
  StreamId stream = 0;
  std::vector<TaskId> after{};  ///< Tasks of this iteration that it waits for.
  bool on_host = false;         ///< The host works, and the device waits for it.
};

/// What a communication verb takes beside the bytes.
struct CommunicationOptions {
  StreamId stream = 1;
  std::optional<Algorithm> algorithm;  ///< Default: default_algorithm of the kind.
  TeamId team = 0;
  std::uint32_t root = 0;
  std::int32_t priority = 0;
  Seconds overhead{};  ///< Software time before it moves.
  bool ideal = false;  ///< See PlannedCollective.
  bool fusable = true;
  std::vector<double> shares{};      ///< See Collective.
  std::string phase{};               ///< What it is for; default: "communication".
  std::vector<TaskId> after{};       ///< Tasks of this iteration that it waits for,
  std::vector<TaskId> next_after{};  ///< and of the iteration before.
};

/// Returns the phase of a layer's forward and backward passes; empty: the usual one of each.
inline std::string_view phase_of_pass(const Layer& layer) {
  return layer.kind == kModelMessages ? kMessagesInLayers : std::string_view();
}

/// Writes one iteration of a schedule, in program order, with the verbs of the field.
///
/// Stream 0 is the compute stream and runs its tasks in the order in which they are added. Verbs
/// return the task; `.after` orders it behind tasks that are there already. What comes later is
/// told by after(task, {...}) and, across iterations, next_after(task, {...}).
class Builder {
 public:
  Builder(const OptionReader& read, const Workload& workload, const Cluster& cluster);
  /// Without options: a plan that is no schedule's.
  Builder(std::string schedule, const Workload& workload, const Cluster& cluster);

  const Workload& workload() const { return workload_; }
  const Cluster& cluster() const { return cluster_; }

  StreamId stream(std::string name, DispatchRule rule = InOrder{});
  TeamId team(Team team);
  /// A team of one group. Throws InputError without ranks.
  TeamId group(std::vector<Rank> ranks);

  /// Forward, backward and update tasks from here on run on the ranks of `team` only: the workers.
  void compute_on(TeamId team) { workers_ = team; }
  /// How many mini-batches a worker works through in a training step, unless it is one.
  void passes(std::uint32_t count) { passes_ = count; }

  TaskId forward(LayerId layer, const std::vector<TaskId>& after = {});
  TaskId backward(LayerId layer, const std::vector<TaskId>& after = {});
  /// `share` of the workload's update time: of all parameters, unless a rank updates but some.
  TaskId update(std::string label = "update", const std::vector<TaskId>& after = {},
                double share = 1);
  TaskId compute(std::string label, Seconds duration, const ComputeOptions& options = {});
  /// "packing", "conv1": labelled "packing of conv1", of the phase "packing".
  TaskId compute(std::string_view phase, std::string_view of, Seconds duration,
                 ComputeOptions options = {});

  TaskId all_reduce(std::string label, Bytes size, const CommunicationOptions& options = {});
  TaskId reduce_scatter(std::string label, Bytes size, const CommunicationOptions& options = {});
  TaskId all_gather(std::string label, Bytes size, const CommunicationOptions& options = {});
  TaskId all_to_all(std::string label, Bytes size, const CommunicationOptions& options = {});
  TaskId broadcast(std::string label, Bytes size, const CommunicationOptions& options = {});
  TaskId reduce(std::string label, Bytes size, const CommunicationOptions& options = {});
  /// `size` bytes from each member of the first half of a group to its counterpart in the second:
  /// of a pair, from the first to the second.
  TaskId send(std::string label, Bytes size, const CommunicationOptions& options = {});

  /// Adds a task of another plan, without its dependencies, on a stream and a team of this one.
  TaskId copy(const Plan& plan, TaskId task, StreamId stream, TeamId team);

  void after(TaskId task, std::span<const TaskId> earlier);
  void after(TaskId task, std::initializer_list<TaskId> earlier);
  void next_after(TaskId task, std::span<const TaskId> of_iteration_before);
  void next_after(TaskId task, std::initializer_list<TaskId> of_iteration_before);
  /// Behind a task of the iteration `iterations` before.
  void later_after(TaskId task, TaskId earlier, std::uint32_t iterations);
  /// The end of `task` tells the thread of its stream of a communication whose data come later.
  void announce(TaskId communication, TaskId task);
  /// The task starts when `count` of all that it is ordered behind have finished.
  void needs(TaskId task, std::uint32_t count);

  /// What is added from here on belongs to the next training step of the period. The last step
  /// needs no call. Reports then give times per step.
  void end_step();

  /// All workers wait here for what is pending: a task of no time, "update of gradients". kNone if
  /// nothing is.
  TaskId wait(Pending& pending);
  /// The last task so far that all ranks compute, on stream 0; kNone before the first.
  TaskId last_everywhere() const { return last_everywhere_; }

  void note(Note note);

  /// The plan, with what its workers hold if they do nothing special (usual_memory). Throws
  /// InputError if the dependencies form a cycle, or if no rank runs both tasks of one.
  Plan build() &&;

 private:
  TaskId add(Task task, std::string label);
  /// As errors name it, also where it is not there.
  std::string name_of(TaskId task) const;
  TaskId communicate(CollectiveKind kind, std::string label, Bytes size,
                     const CommunicationOptions& options);
  PhaseId phase_of(std::string_view name, TaskKind kind);
  std::uint32_t label_of(std::string label);
  Summary summary() const;

  const Workload& workload_;
  const Cluster& cluster_;
  std::string schedule_;
  std::string optimiser_;
  TeamId workers_ = 0;
  std::uint32_t passes_ = 1;
  TaskId last_everywhere_ = kNone;
  std::vector<Task> tasks_;
  std::vector<TaskGraph::Edge> edges_;
  std::vector<TaskGraph::Edge> next_;
  std::vector<LaterEdge> later_;
  std::vector<Quorum> quorums_;
  std::vector<TaskGraph::Edge> announcements_;
  std::vector<Stream> streams_;
  std::vector<PlannedCollective> collectives_;
  std::vector<Team> teams_;
  std::vector<std::string> labels_;
  std::array<std::uint32_t, 256> recent_labels_{};  // by hash
  std::vector<std::string> phases_ = usual_phases();
  std::vector<TaskId> later_steps_;
  Notes notes_;
};

}  // namespace stepcast
