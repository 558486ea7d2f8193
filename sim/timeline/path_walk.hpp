#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/graph/predecessors.hpp"
#include "models/schedule/plan.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// One run of a task: in the reported iteration (0), the one before it (1), the one after it (-1).
struct TaskRun {
  TaskId task = 0;
  std::int32_t iterations_back = 0;
  ClassId rank_class = 0;
};

/// Walks a timeline back in time, from a run to the run it waited for. Runs outside the two
/// recorded iterations are taken from these, shifted by whole iteration times.
class PathWalk {
 public:
  PathWalk(const Plan& plan, const Timeline& timeline, ClassId rank_class);

  Interval at(const TaskRun& run) const;

  /// The first task of the compute stream, in the iteration after the reported one.
  std::optional<TaskRun> next_iteration() const;

  /// Of the tasks that were communicated together with `run` (a negotiated stream fuses them), the
  /// one, and of its members the class, that was ready last. Compute: `run` itself.
  TaskRun last_ready(const TaskRun& run);

  /// What `run` waited for that ended last; none if it waited for nothing.
  std::optional<TaskRun> before(const TaskRun& run) const;

 private:
  struct End {
    Seconds offset{};  // end modulo the iteration time
    TaskId task = 0;
  };

  const std::vector<ClassId>& met_by(ClassId rank_class, TeamId team);
  TaskRun find_last_ready(const TaskRun& run);
  void consider(std::optional<TaskRun>& best, const TaskRun& candidate, const TaskRun& run) const;
  std::optional<TaskRun> before_on_stream(const TaskRun& run) const;
  std::optional<TaskRun> before_in_order(const TaskRun& run) const;
  std::optional<TaskRun> before_by_time(const TaskRun& run) const;
  bool is_member(TaskId task, ClassId rank_class) const;
  bool is_in_order(StreamId stream) const;
  Seconds offset_of(Seconds time) const;

  const Plan& plan_;
  const Timeline& timeline_;
  ClassId rank_class_;
  Seconds period_;  // of the recorded iteration
  Seconds tolerance_;
  Predecessors predecessors_;
  std::vector<TaskId> previous_;  // the task before it on its stream, or kNone
  std::vector<TaskId> last_;      // the last task of each stream, or kNone
  std::map<std::pair<TaskId, ClassId>, TaskRun> last_ready_;  // in the reported iteration
  std::map<std::pair<TeamId, ClassId>, std::vector<ClassId>> met_by_;
  std::vector<std::vector<End>> ended_;  // streams that choose at run time: by offset
};

}  // namespace stepcast
