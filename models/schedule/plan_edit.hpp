#pragma once

#include <map>
#include <span>
#include <vector>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// Rewrites plans task by task: walk a plan in order and say for each task whether it is kept or
/// replaced, and what is inserted before it; what is not mentioned is removed. Ids, edges and the
/// begins of steps follow.
///
///   PlanEdit edit(plan);
///   for (TaskId id = 0; id < plan.graph.size(); ++id)
///     edit.keep(id);
///   return std::move(edit).apply();
///
/// What waited for a removed task waits for what that one waited for. Each plan that is gone on
/// with costs a look at all its edges: rows of steps that are written again copy theirs
/// (period.cpp).
class PlanEdit {
 public:
  /// Begins with `plan`, which must outlive this.
  explicit PlanEdit(const Plan& plan);

  /// Goes on with another plan on the same streams, whose tasks follow behind as another training
  /// step. The lists that its tasks refer to are added once for each plan.
  void go_on(const Plan& plan);
  /// Adds those lists ahead of time, for an order of their own.
  void adopt(const Plan& plan);

  void keep(TaskId id) { replace(id, moved(source_->graph.task(id))); }
  /// `task` in place of another, with that one's edges.
  void replace(TaskId id, const Task& task);
  /// A task without edges; what it refers to is in result().
  void insert(const Task& task) { tasks_.push_back(task); }
  /// Of tasks written so far, by their new ids; edges into later iterations go to result().
  void edge(TaskId before, TaskId after) { edges_.emplace_back(before, after); }

  /// Tasks so far: the id of the next.
  TaskId tasks() const { return static_cast<TaskId>(tasks_.size()); }

  /// Everything but the tasks, which may be changed.
  Plan& result() { return result_; }

  /// Throws InputError if the edges form a cycle.
  Plan apply() &&;

 private:
  /// Where what a plan's tasks refer to lies in the result.
  struct Offsets {
    std::uint32_t labels = 0;
    std::uint32_t collectives = 0;
    std::uint32_t teams = 0;  // of those after the first, which is the world of all
    std::vector<PhaseId> phases;
  };

  Task moved(Task task) const;
  std::vector<TaskGraph::Edge> moved(const std::vector<TaskGraph::Edge>& into_later) const;
  void close();
  TaskId first_kept_from(TaskId id) const;

  Plan result_;
  std::map<const Plan*, Offsets> offsets_;
  const Plan* source_ = nullptr;
  std::vector<TaskId> new_id_;  // by task of the source; kNone: removed
  std::vector<Task> tasks_;
  std::vector<TaskGraph::Edge> edges_;
};

}  // namespace stepcast
