#include "sim/forecast/plan_export.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

constexpr Rank kExportedRank = 0;

/// A task as the file holds it: one of the plan, or communications that were fused in the forecast.
struct FixedTask {
  std::vector<TaskId> parts;  ///< In plan order; one unless fused.
};

/// Gives every stream one order, and forgets what decided it.
class FixedPlan {
 public:
  FixedPlan(const Plan& plan, const Timeline& timeline)
      : plan_(plan),
        timeline_(timeline),
        rank_class_(timeline.class_of_rank[kExportedRank]),
        at_slot_(plan.graph.size()),
        new_id_(plan.graph.size()) {
    for (TaskId id = 0; id < plan.graph.size(); ++id)
      at_slot_[id] = {{id}};
    for (StreamId stream = 0; stream < plan.streams.size(); ++stream)
      if (std::holds_alternative<Negotiated>(plan.streams[stream].rule))
        fix_order(stream);
    number();
  }

  const std::vector<FixedTask>& tasks() const { return tasks_; }

  const Interval& interval(int iteration, TaskId id) const {
    return timeline_.at(iteration, id, rank_class_);
  }

  /// Edges between the tasks of the file, each once.
  std::vector<TaskGraph::Edge> moved(const std::vector<TaskGraph::Edge>& edges,
                                     bool same_iteration) const {
    std::set<TaskGraph::Edge> moved;
    for (const auto& [before, after] : edges)
      if (!same_iteration || new_id_[before] != new_id_[after])
        moved.emplace(new_id_[before], new_id_[after]);
    return {moved.begin(), moved.end()};
  }

  /// First tasks of later steps: the first slot from the old one on that is still in use.
  std::vector<TaskId> later_steps() const {
    std::vector<TaskId> steps;
    for (const TaskId old : plan_.later_steps) {
      const auto used = std::ranges::lower_bound(slots_, old);
      steps.push_back(static_cast<TaskId>(used - slots_.begin()));
    }
    return steps;
  }

 private:
  bool ran_as_one(TaskId a, TaskId b) const {
    const Interval& left = interval(1, a);
    const Interval& right = interval(1, b);
    const auto kind = [this](TaskId id) {
      return plan_.collectives[plan_.graph.task(id).collective].collective.kind;
    };
    return left.end > left.start && left.start == right.start && left.end == right.end &&
           plan_.graph.task(a).team == plan_.graph.task(b).team && kind(a) == kind(b);
  }

  /// The stream's communications in the order of the forecast, those that were fused as one.
  void fix_order(StreamId stream) {
    std::vector<TaskId> slots;
    for (TaskId id = 0; id < plan_.graph.size(); ++id)
      if (plan_.graph.task(id).stream == stream)
        slots.push_back(id);
    std::vector<TaskId> order = slots;
    std::ranges::stable_sort(order, {}, [this](TaskId id) { return interval(1, id).start; });
    for (const TaskId slot : slots)
      at_slot_[slot].parts.clear();
    std::size_t used = 0;
    for (const TaskId id : order) {
      if (used > 0 && ran_as_one(at_slot_[slots[used - 1]].parts.front(), id))
        at_slot_[slots[used - 1]].parts.push_back(id);
      else
        at_slot_[slots[used++]].parts.push_back(id);
    }
  }

  void number() {
    for (TaskId slot = 0; slot < at_slot_.size(); ++slot) {
      if (at_slot_[slot].parts.empty())
        continue;
      for (const TaskId part : at_slot_[slot].parts)
        new_id_[part] = static_cast<TaskId>(tasks_.size());
      slots_.push_back(slot);
      tasks_.push_back(at_slot_[slot]);
    }
  }

  const Plan& plan_;
  const Timeline& timeline_;
  ClassId rank_class_ = 0;
  std::vector<FixedTask> at_slot_;  // by id in the plan; empty where a fused task left
  std::vector<TaskId> new_id_;      // by id in the plan
  std::vector<FixedTask> tasks_;    // by id in the file
  std::vector<TaskId> slots_;       // of tasks_, ascending
};

// What the file's format has no words for.
void require_plain(const Plan& plan) {
  if (plan.host != kNone)
    throw InputError(
        "`export-plan`: with software.host_* of the cluster a step waits for its hosts of 2 "
        "iterations before; the file holds dependencies over one iteration at most: set them to "
        "0s");
  if (!plan.later.empty())
    throw InputError(
        fmt::format("`export-plan`: a task of {} waits for one of {} iterations before; the file "
                    "holds dependencies over one iteration at most",
                    plan.schedule, plan.later.front().iterations));
  if (!plan.quorums.empty())
    throw InputError(
        fmt::format("`export-plan`: a task of {} waits for {} of those before it, whichever come "
                    "first; the file holds tasks that wait for all of them",
                    plan.schedule, plan.quorums.front().needed));
  for (const Stream& stream : plan.streams)
    if (std::holds_alternative<ByPriority>(stream.rule))
      throw InputError(fmt::format(
          "`export-plan`: stream \"{}\" of {} runs by priority, which a file of fixed order cannot "
          "hold; export a schedule whose streams run in order",
          stream.name, plan.schedule));
}

/// When each stream is done with the iteration before.
std::vector<Seconds> stream_ends(const Plan& plan, const FixedPlan& fixed) {
  std::vector<Seconds> ends(plan.streams.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    Seconds& end = ends[plan.graph.task(id).stream];
    end = std::max(end, fixed.interval(0, id).end);
  }
  return ends;
}

/// Once the stream is free and the task ready, what is left of the wait is for the other members,
/// or for a negotiation.
CommunicationForecast forecast_of(const FixedTask& task, const FixedPlan& fixed,
                                  Seconds stream_free) {
  const Interval& interval = fixed.interval(1, task.parts.front());
  if (interval.end < Seconds{})
    return {};
  Seconds could_start = stream_free;
  for (const TaskId part : task.parts)
    could_start = std::max(could_start, fixed.interval(1, part).ready);
  return {.wait = std::max(Seconds{}, interval.start - could_start),
          .time = interval.end - interval.start};
}

PlannedCollective fused(const Plan& plan, const FixedTask& task) {
  Collective whole = plan.collectives[plan.graph.task(task.parts.front()).collective].collective;
  whole.size = {};
  for (const TaskId part : task.parts)
    whole.size += plan.collectives[plan.graph.task(part).collective].collective.size;
  return {.collective = whole};
}

std::string label_of(const Plan& plan, const FixedTask& task) {
  const std::string& first = plan.labels[plan.graph.task(task.parts.front()).label];
  return task.parts.size() == 1 ? first
                                : fmt::format("{} and {} more", first, task.parts.size() - 1);
}

void add_tasks(ExportedPlan& exported, const Plan& plan, const FixedPlan& fixed) {
  std::vector<Seconds> stream_free = stream_ends(plan, fixed);
  std::vector<Task> tasks;
  for (const FixedTask& each : fixed.tasks()) {
    Task task = plan.graph.task(each.parts.front());
    task.layer = kNone;
    task.phase = 0;
    task.label = static_cast<std::uint32_t>(exported.plan.labels.size());
    exported.plan.labels.push_back(label_of(plan, each));
    if (task.kind == TaskKind::Communication) {
      task.collective = static_cast<std::uint32_t>(exported.plan.collectives.size());
      exported.plan.collectives.push_back(fused(plan, each));
      exported.forecasts.push_back(forecast_of(each, fixed, stream_free[task.stream]));
      Seconds& free = stream_free[task.stream];
      free = std::max(free, fixed.interval(1, each.parts.front()).end);
    }
    tasks.push_back(task);
  }
  exported.plan.graph = TaskGraph(tasks, fixed.moved(plan.graph.edges(), true));
  exported.plan.next = fixed.moved(plan.next, false);
  exported.plan.later_steps = fixed.later_steps();
}

}  // namespace

ExportedPlan export_plan(const Workload& workload, const Cluster& cluster, const Plan& plan,
                         Fidelity fidelity, const Timeline& timeline, const Origin& origin) {
  require_plain(plan);
  ExportedPlan exported{
      .workload = workload.name,
      .cluster = cluster.name,
      .fidelity = name_of(fidelity),
      .gpus = cluster.ranks(),
      .rank = kExportedRank,
      .communication_slows_compute = cluster.overlap.compute_slowdown > 0 ||
                                     cluster.overlap.launch_wait > 0 ||
                                     cluster.overlap.communication_slowdown > 0,
      .iteration_time = timeline.iteration_time,
      .plan = {.schedule = plan.schedule, .graph = TaskGraph({}, {}), .teams = plan.teams}};
  exported.provenance = {
      .kind = ProvenanceKind::Derived,
      .source = fmt::format("workload {}, cluster {}", workload.name, cluster.name),
      .method = "stepcast " STEPCAST_VERSION " " + origin.command,
      .notes = origin.changes};
  for (const Stream& stream : plan.streams)
    exported.plan.streams.push_back({.name = stream.name});
  add_tasks(exported, plan, FixedPlan(plan, timeline));
  return exported;
}

}  // namespace stepcast
