#include "models/schedule/plan_edit.hpp"

#include <algorithm>
#include <cassert>

#include "models/base/index.hpp"
#include "models/graph/predecessors.hpp"

namespace stepcast {
namespace {

using Edges = std::vector<TaskGraph::Edge>;

template <class T>
void append(std::vector<T>& list, std::span<const T> more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// For each phase of a plan its place in `known`, to which the new ones are added.
std::vector<PhaseId> merged(std::vector<std::string>& known, std::span<const std::string> phases) {
  std::vector<PhaseId> places;
  for (const std::string& phase : phases) {
    const auto found = std::ranges::find(known, phase);
    places.push_back(checked_short_id(static_cast<std::size_t>(found - known.begin()), "phases"));
    if (found == known.end())
      known.push_back(phase);
  }
  return places;
}

/// Edges round the tasks that are removed: each of them is passed over from all that it waits for
/// to all that wait for it. In the order of the edges.
Edges bypassed(std::span<const TaskGraph::Edge> edges, const TaskGraph& graph,
               const std::vector<TaskId>& new_id) {
  Edges result;
  std::vector<TaskGraph::Edge> open;
  for (const auto& edge : edges) {
    if (new_id[edge.first] == kNone)
      continue;  // its own predecessors pass over it
    open.assign(1, edge);
    while (!open.empty()) {
      const TaskGraph::Edge last = open.back();
      open.pop_back();
      if (new_id[last.second] != kNone)
        result.emplace_back(new_id[last.first], new_id[last.second]);
      else
        graph.for_each_successor(last.second,
                                 [&](TaskId next) { open.emplace_back(last.first, next); });
    }
  }
  return result;
}

/// Edges into later iterations, moved from a removed task back to all that it waits for.
Edges backed_up(Edges edges, const TaskGraph& graph, const std::vector<TaskId>& new_id) {
  if (std::ranges::all_of(edges, [&](const auto& edge) { return new_id[edge.first] != kNone; }))
    return edges;
  const Predecessors predecessors = predecessors_of(graph, {});
  Edges result;
  std::ranges::reverse(edges);
  while (!edges.empty()) {
    const auto [before, after] = edges.back();
    edges.pop_back();
    if (new_id[before] != kNone)
      result.emplace_back(before, after);
    else
      for (const Predecessor& earlier : predecessors.of(before))
        edges.emplace_back(earlier.task, after);
  }
  return result;
}

}  // namespace

PlanEdit::PlanEdit(const Plan& plan)
    : result_{.schedule = plan.schedule,
              .summary = plan.summary,
              .graph = TaskGraph({}, {}),
              .streams = plan.streams,
              .teams = {plan.teams.front()},
              .memory = plan.memory,
              .notes = plan.notes} {
  go_on(plan);
}

void PlanEdit::adopt(const Plan& plan) {
  assert(plan.streams.size() == result_.streams.size());
  const auto [offsets, is_new] = offsets_.try_emplace(&plan);
  if (!is_new)
    return;
  offsets->second = {.labels = static_cast<std::uint32_t>(result_.labels.size()),
                     .collectives = static_cast<std::uint32_t>(result_.collectives.size()),
                     .teams = static_cast<std::uint32_t>(result_.teams.size() - 1),
                     .phases = merged(result_.phases, plan.phases)};
  append<std::string>(result_.labels, plan.labels);
  append<PlannedCollective>(result_.collectives, plan.collectives);
  append<Team>(result_.teams, std::span(plan.teams).subspan(1));
}

void PlanEdit::go_on(const Plan& plan) {
  close();
  if (source_ != nullptr)
    result_.later_steps.push_back(static_cast<TaskId>(tasks_.size()));
  adopt(plan);
  source_ = &plan;
  new_id_.assign(plan.graph.size(), kNone);
}

void PlanEdit::replace(TaskId id, const Task& task) {
  new_id_[id] = static_cast<TaskId>(tasks_.size());
  tasks_.push_back(task);
}

Plan PlanEdit::apply() && {
  close();
  result_.graph = TaskGraph(tasks_, edges_);
  return std::move(result_);
}

Task PlanEdit::moved(Task task) const {
  const Offsets& offsets = offsets_.at(source_);
  if (task.label != kNone)
    task.label += offsets.labels;
  if (task.collective != kNone)
    task.collective += offsets.collectives;
  if (task.team > 0)
    task.team += offsets.teams;
  task.phase = offsets.phases[task.phase];
  return task;
}

Edges PlanEdit::moved(const Edges& into_later) const {
  const Edges edges = backed_up(into_later, source_->graph, new_id_);
  return bypassed(edges, source_->graph, new_id_);
}

void PlanEdit::close() {
  if (source_ == nullptr)
    return;
  append<TaskGraph::Edge>(edges_, bypassed(source_->graph.edges(), source_->graph, new_id_));
  append<TaskGraph::Edge>(result_.next, moved(source_->next));
  append<TaskGraph::Edge>(result_.announcements, moved(source_->announcements));
  for (const LaterEdge& edge : source_->later)
    for (const auto& [before, after] : moved({{edge.before, edge.after}}))
      result_.later.push_back({before, after, edge.iterations});
  for (const Quorum& quorum : source_->quorums)
    if (new_id_[quorum.task] != kNone)
      result_.quorums.push_back({new_id_[quorum.task], quorum.needed});
  for (const TaskId step : source_->later_steps)
    result_.later_steps.push_back(first_kept_from(step));
}

TaskId PlanEdit::first_kept_from(TaskId id) const {
  while (id < new_id_.size() && new_id_[id] == kNone)
    ++id;
  return id < new_id_.size() ? new_id_[id] : static_cast<TaskId>(tasks_.size());
}

}  // namespace stepcast
