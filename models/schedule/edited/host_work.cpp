#include "models/schedule/edited/host_work.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/graph/edit/launch_queue.hpp"
#include "models/graph/predecessors.hpp"
#include "models/schedule/period.hpp"
#include "models/schedule/plan_edit.hpp"

// One walk over the plan in program order. Before each task of the compute stream its launch is
// written on the host's stream, behind it hooks, and the collectives whose last task of the compute
// stream this is. Edges to tasks that are written later are kept until their ids are known.
// O(tasks + edges).

namespace stepcast {
namespace {

/// What the host of a rank takes for the tasks of a plan, by software.host_* of its cluster.
class HostTimes {
 public:
  HostTimes(const Plan& plan, const Workload& workload, const Software& costs)
      : workload_(workload), costs_(costs), tensors_(static_cast<double>(tensor_count(workload))) {
    for (const Task& task : plan.graph.tasks())
      updates_ += task.kind == TaskKind::Update ? 1 : 0;
    updates_ /= steps_of(plan);
  }

  /// To launch a compute task: its kernels, where the workload counts them; one for what is neither
  /// pass nor update. Nothing for the host's own work.
  Seconds launch(const Task& task) const {
    const Layer* layer = layer_of(task);
    switch (task.kind) {
      case TaskKind::Forward:
        return costs_.host_per_launch * (layer ? layer->forward_launches : 0);
      case TaskKind::Backward:
        return costs_.host_per_launch * (layer ? layer->backward_launches : 0);
      case TaskKind::Update:
        return costs_.host_per_update * (tensors_ * share_of(task));
      case TaskKind::OtherCompute:
        return !task.on_host && task.duration > Seconds{} ? costs_.host_per_launch : Seconds{};
      case TaskKind::Communication:
        return {};
    }
    return {};
  }

  /// Behind it: for the gradients that a backward pass hands over.
  Seconds hooks(const Task& task) const {
    const Layer* layer = task.kind == TaskKind::Backward ? layer_of(task) : nullptr;
    return costs_.host_per_gradient * (layer ? static_cast<double>(layer->parameters.size()) : 0.0);
  }

  /// A collective of that team: nothing where everybody in it is alone.
  Seconds hand_over(const Team& team) const {
    return team.group_size() > 1 ? costs_.host_per_collective : Seconds{};
  }

 private:
  const Layer* layer_of(const Task& task) const {
    return task.layer < workload_.layers.size() ? &workload_.layers[task.layer] : nullptr;
  }

  // Returns the share of all parameters that a task updates: by its time, or an equal share where
  // the trace has no time for the update.
  double share_of(const Task& update) const {
    return workload_.update > Seconds{} ? update.duration / workload_.update : 1 / updates_;
  }

  const Workload& workload_;
  const Software& costs_;
  double tensors_ = 0;
  double updates_ = 0;  // in a training step
};

/// What the host does before a task: by new id, the task by its old one.
struct Launch {
  TaskId by = 0;
  TaskId of = 0;
  bool holds = true;  ///< The task waits for it; else it is announced by it.
};

/// A communication (old id) that the host (new id) waits for.
struct HostWait {
  TaskId communication = 0;
  TaskId host = 0;
  std::uint32_t iterations = 0;  ///< Back.
};

class HostLane {
 public:
  HostLane(const Plan& plan, const Workload& workload, const Software& costs)
      : plan_(plan),
        times_(plan, workload, costs),
        before_(predecessors_of(plan.graph, earlier_of(plan))),
        behind_(plan.graph.size()),
        announced_(plan.graph.size()),
        new_id_(plan.graph.size()),
        edit_(plan) {
    Plan& result = edit_.result();
    result.host = static_cast<StreamId>(result.streams.size());
    result.streams.push_back({"host"});
    phase_ = static_cast<PhaseId>(result.phases.size());
    result.phases.emplace_back("host");
    labels_ = static_cast<std::uint32_t>(result.labels.size());
    result.labels.insert(result.labels.end(), {"launch", "hooks", "hand-over"});  // as of Work
    for (const auto& [announcer, communication] : plan.announcements)
      announced_[communication] = true;
    place_communications();
  }

  Plan apply() && {
    for (const TaskId communication : first_)
      hand_over(communication);
    for (TaskId id = 0; id < plan_.graph.size(); ++id)
      write(id);
    std::vector<TaskId> handed_over(edit_.tasks());
    for (const Launch& launch : launches_) {
      const TaskId task = new_id_[launch.of];
      if (launch.holds)
        edit_.edge(launch.by, task);
      edit_.result().later.push_back({task, launch.by, kIterationsAhead});
      handed_over[task] = launch.by;
    }
    for (const HostWait& wait : waits_)
      if (wait.iterations == 0)
        edit_.edge(new_id_[wait.communication], wait.host);
      else
        edit_.result().next.emplace_back(new_id_[wait.communication], wait.host);
    Plan result = std::move(edit_).apply();
    for (auto& [announcer, communication] : result.announcements)
      announcer = handed_over[communication];
    return result;
  }

 private:
  static std::vector<std::pair<Predecessor, TaskId>> earlier_of(const Plan& plan) {
    std::vector<std::pair<Predecessor, TaskId>> earlier;
    for (const auto& [before, after] : plan.next)
      earlier.push_back({{before, 1}, after});
    return earlier;
  }

  bool is_communication(TaskId id) const {
    return plan_.graph.task(id).kind == TaskKind::Communication;
  }
  bool is_computed(TaskId id) const {
    return !is_communication(id) && plan_.graph.task(id).stream == 0;
  }
  bool is_awaited_by_host(TaskId id) const {
    return is_communication(id) &&
           !std::holds_alternative<InOrder>(plan_.streams[plan_.graph.task(id).stream].rule);
  }

  /// Each communication to the last task of the compute stream that it follows, by way of others.
  void place_communications() {
    std::vector<TaskId> last(plan_.graph.size(), kNone);
    for (TaskId id = 0; id < plan_.graph.size(); ++id) {
      if (is_computed(id)) {
        last[id] = id;
        continue;
      }
      for (const Predecessor& earlier : before_.of(id)) {
        const TaskId found = is_computed(earlier.task) ? earlier.task : last[earlier.task];
        if (earlier.iterations_back == 0 && found != kNone)
          last[id] = last[id] == kNone ? found : std::max(last[id], found);
      }
      if (is_communication(id))
        (last[id] == kNone ? first_ : behind_[last[id]]).push_back(id);
    }
  }

  void write(TaskId id) {
    const Task& task = plan_.graph.task(id);
    if (!is_computed(id)) {
      keep(id, task);
      return;
    }
    launch(id, task);
    keep(id, task);
    if (const Seconds hooks = times_.hooks(task); hooks > Seconds{})
      add(Work::Hooks, hooks, task.team);
    for (const TaskId communication : behind_[id])
      hand_over(communication);
  }

  void launch(TaskId id, const Task& task) {
    const Seconds time = times_.launch(task);
    const std::size_t waits = waits_.size();
    const TaskId launched = edit_.tasks();
    for (const Predecessor& earlier : before_.of(id))
      if (is_awaited_by_host(earlier.task))
        waits_.push_back({earlier.task, launched, earlier.iterations_back});
    if (time <= Seconds{} && waits_.size() == waits)
      return;
    add(Work::Launch, time, task.team);
    launches_.push_back({launched, id});
  }

  void keep(TaskId id, const Task& task) {
    new_id_[id] = edit_.tasks();
    edit_.replace(id, task);
  }

  void hand_over(TaskId communication) {
    launches_.push_back({edit_.tasks(), communication, !announced_[communication]});
    const TeamId team = plan_.graph.task(communication).team;
    add(Work::HandOver, times_.hand_over(plan_.teams[team]), team);
  }

  enum class Work : std::uint8_t { Launch, Hooks, HandOver };

  void add(Work work, Seconds duration, TeamId team) {
    edit_.insert({.kind = TaskKind::OtherCompute,
                  .on_host = true,
                  .phase = phase_,
                  .stream = edit_.result().host,
                  .team = team,
                  .label = labels_ + static_cast<std::uint32_t>(work),
                  .duration = duration});
  }

  const Plan& plan_;
  HostTimes times_;
  Predecessors before_;
  std::vector<TaskId> first_;                // communications that follow no compute,
  std::vector<std::vector<TaskId>> behind_;  // those that follow a task,
  std::vector<bool> announced_;              // those announced ahead of their data
  std::vector<TaskId> new_id_;
  std::vector<Launch> launches_;
  std::vector<HostWait> waits_;
  PhaseId phase_ = 0;
  std::uint32_t labels_ = 0;
  PlanEdit edit_;
};

void add_notes(Notes& notes, const Workload& workload, const Software& costs) {
  if (costs.host_per_launch <= Seconds{})
    return;
  const bool counted = std::ranges::any_of(workload.layers, [](const Layer& layer) {
    return layer.forward_launches + layer.backward_launches > 0;
  });
  if (!counted)
    notes.push_back({NoteKind::Workload, "launches",
                     "The trace does not say how many kernels a layer launches: the host launches "
                     "its passes in no time."});
  if (host_gap_time(workload) > Seconds{})
    notes.push_back({NoteKind::Workload, "HostGap",
                     "Gaps of the profile in which the device waited for its host count beside the "
                     "host's launches; import --gaps drop leaves them out."});
}

/// Names of the costs of hosts that the cluster gives.
std::vector<std::string> costs_given(const Software& software) {
  std::vector<std::string> given;
  for (const auto& [name, cost] : {std::pair("per_launch", software.host_per_launch),
                                   std::pair("per_gradient", software.host_per_gradient),
                                   std::pair("per_update", software.host_per_update),
                                   std::pair("per_collective", software.host_per_collective)})
    if (cost > Seconds{})
      given.push_back(fmt::format("software.host_{}", name));
  return given;
}

}  // namespace

bool has_host_costs(const Software& software) {
  return !costs_given(software).empty();
}

void note_no_host(Plan& plan, const Software& software) {
  if (const std::vector<std::string> given = costs_given(software); !given.empty())
    plan.notes.push_back(
        {NoteKind::Scope, "host",
         fmt::format("Costs of hosts that do not count here: {}.", fmt::join(given, ", "))});
}

Plan with_host(Plan plan, const Workload& workload, const Cluster& cluster) {
  if (!has_host_costs(cluster.software) || plan.summary.bound)
    return plan;
  if (!plan.quorums.empty()) {
    note_no_host(plan, cluster.software);
    return plan;
  }
  plan = unrolled(std::move(plan));  // the host runs ahead of steps that repeat
  Plan result = HostLane(plan, workload, cluster.software).apply();
  add_notes(result.notes, workload, cluster.software);
  return result;
}

}  // namespace stepcast
