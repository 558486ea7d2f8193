#include "sim/timeline/path_walk.hpp"

#include <algorithm>
#include <cmath>

#include "sim/timeline/recorded_time.hpp"

// The walk back. A run started when the last of what it waited for had ended: a predecessor by an
// edge, or what had its stream before. On a stream in order that is the task before it; where a
// policy chooses, the plan does not say, so it is the task that had ended last by then, looked up
// by its end within the iteration. Of two that end together the computation counts: a communication
// seldom is the reason. A run of an iteration that nobody recorded is the recorded one, shifted by
// whole iteration times, as the steady state repeats; so a path may lead through many iterations.
// A step back costs O(predecessors + log tasks); behind a communication O(classes of its
// group) more.

namespace stepcast {
namespace {

std::vector<std::pair<Predecessor, TaskId>> of_iterations_before(const Plan& plan) {
  std::vector<std::pair<Predecessor, TaskId>> edges;
  for (const auto& [before, after] : plan.next)
    edges.push_back({{before, 1}, after});
  for (const LaterEdge& edge : plan.later)
    edges.push_back({{edge.before, edge.iterations}, edge.after});
  return edges;
}

/// Classes of the ranks in the group to which the class's representative belongs.
std::vector<ClassId> classes_of_group(const Team& team, const Timeline& timeline,
                                      ClassId rank_class) {
  const auto group = find_group(team, timeline.classes[rank_class].representative);
  if (!group)
    return {rank_class};
  std::vector<ClassId> classes;
  for (const Rank rank : team.groups[*group].ranks)
    classes.push_back(timeline.class_of_rank[rank]);
  std::ranges::sort(classes);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

}  // namespace

PathWalk::PathWalk(const Plan& plan, const Timeline& timeline, ClassId rank_class)
    : plan_(plan),
      timeline_(timeline),
      rank_class_(rank_class),
      period_(recorded_time(plan, timeline)),
      tolerance_(period_ * 1e-9),
      predecessors_(predecessors_of(plan.graph, of_iterations_before(plan))),
      previous_(plan.graph.size(), kNone),
      last_(plan.streams.size(), kNone),
      ended_(plan.streams.size()) {
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const StreamId stream = plan.graph.task(id).stream;
    previous_[id] = last_[stream];
    last_[stream] = id;
    const Interval& interval = timeline.at(1, id, rank_class);
    if (!is_in_order(stream) && interval.end > interval.start)
      ended_[stream].push_back({offset_of(interval.end), id});
  }
  for (std::vector<End>& ends : ended_)
    std::ranges::stable_sort(ends, {}, &End::offset);
}

Interval PathWalk::at(const TaskRun& run) const {
  const bool before = run.iterations_back > 0 && !timeline_.intervals[0].empty();
  const Seconds shift = period_ * (run.iterations_back - (before ? 1 : 0));
  const Interval& seen = timeline_.at(before ? 0 : 1, run.task, run.rank_class);
  return {seen.ready - shift, seen.start - shift, seen.end - shift};
}

std::optional<TaskRun> PathWalk::next_iteration() const {
  for (TaskId id = 0; id < plan_.graph.size(); ++id)
    if (plan_.graph.task(id).stream == 0 && is_member(id, rank_class_))
      return TaskRun{id, -1, rank_class_};
  return std::nullopt;
}

// Steps that were recorded once are walked through as often as they come.
TaskRun PathWalk::last_ready(const TaskRun& run) {
  if (plan_.graph.task(run.task).kind != TaskKind::Communication)
    return run;
  if (run.iterations_back != 0)
    return find_last_ready(run);
  const auto [known, is_new] = last_ready_.try_emplace({run.task, run.rank_class});
  if (is_new)
    known->second = find_last_ready(run);
  return known->second;
}

/// Other groups of the task's team communicate by themselves, at times of their own.
const std::vector<ClassId>& PathWalk::met_by(ClassId rank_class, TeamId team) {
  const auto [known, is_new] = met_by_.try_emplace({team, rank_class});
  if (is_new)
    known->second = classes_of_group(plan_.teams[team], timeline_, rank_class);
  return known->second;
}

TaskRun PathWalk::find_last_ready(const TaskRun& run) {
  const Task& task = plan_.graph.task(run.task);
  TaskRun best = run;
  const auto consider_members = [&](TaskId id) {
    for (const ClassId c : met_by(run.rank_class, plan_.graph.task(id).team)) {
      const TaskRun candidate{id, run.iterations_back, c};
      if (is_member(id, c) && at(candidate).ready > at(best).ready + tolerance_)
        best = candidate;
    }
  };
  consider_members(run.task);
  if (is_in_order(task.stream))
    return best;
  const Interval& mine = timeline_.at(1, run.task, rank_class_);
  const Seconds offset = offset_of(mine.end);
  const std::vector<End>& ends = ended_[task.stream];
  for (auto it = std::ranges::lower_bound(ends, offset - tolerance_, {}, &End::offset);
       it != ends.end() && it->offset <= offset + tolerance_; ++it)
    if (timeline_.at(1, it->task, rank_class_).start == mine.start)
      consider_members(it->task);
  return best;
}

std::optional<TaskRun> PathWalk::before(const TaskRun& run) const {
  std::optional<TaskRun> best;
  for (const Predecessor& earlier : predecessors_.of(run.task)) {
    const auto back = static_cast<std::int32_t>(earlier.iterations_back);
    consider(best, {earlier.task, run.iterations_back + back, run.rank_class}, run);
  }
  if (const auto earlier = before_on_stream(run))
    consider(best, *earlier, run);
  return best;
}

/// Keeps the candidate that ended last; of equals the computation.
void PathWalk::consider(std::optional<TaskRun>& best, const TaskRun& candidate,
                        const TaskRun& run) const {
  if (!is_member(candidate.task, candidate.rank_class))
    return;
  const Seconds end = at(candidate).end;
  if (end > at(run).start + tolerance_)
    return;
  const bool compute = plan_.graph.task(candidate.task).kind != TaskKind::Communication;
  const Seconds advantage = compute ? tolerance_ : Seconds{} - tolerance_;
  if (!best || end + advantage > at(*best).end)
    best = candidate;
}

std::optional<TaskRun> PathWalk::before_on_stream(const TaskRun& run) const {
  return is_in_order(plan_.graph.task(run.task).stream) ? before_in_order(run)
                                                        : before_by_time(run);
}

std::optional<TaskRun> PathWalk::before_in_order(const TaskRun& run) const {
  for (TaskId id = previous_[run.task]; id != kNone; id = previous_[id])
    if (is_member(id, run.rank_class))
      return TaskRun{id, run.iterations_back, run.rank_class};
  for (TaskId id = last_[plan_.graph.task(run.task).stream]; id != kNone; id = previous_[id])
    if (is_member(id, run.rank_class))
      return TaskRun{id, run.iterations_back + 1, run.rank_class};
  return std::nullopt;
}

/// The task of the stream that had ended last when `run` started, found in the periodic pattern.
std::optional<TaskRun> PathWalk::before_by_time(const TaskRun& run) const {
  const std::vector<End>& ends = ended_[plan_.graph.task(run.task).stream];
  if (ends.empty())
    return std::nullopt;
  const Seconds start = at(run).start;
  const Seconds offset = offset_of(start);
  const auto later = std::ranges::upper_bound(ends, offset + tolerance_, {}, &End::offset);
  const End& found = later == ends.begin() ? ends.back() : *(later - 1);
  Seconds since = offset - found.offset;
  if (since < Seconds{} - tolerance_)
    since += period_;
  const Seconds recorded = timeline_.at(1, found.task, rank_class_).end;
  const double back = (recorded - (start - since)) / period_;
  return TaskRun{found.task, static_cast<std::int32_t>(std::lround(back)), run.rank_class};
}

bool PathWalk::is_member(TaskId task, ClassId rank_class) const {
  return timeline_.at(1, task, rank_class).end >= Seconds{};
}

bool PathWalk::is_in_order(StreamId stream) const {
  return std::holds_alternative<InOrder>(plan_.streams[stream].rule);
}

Seconds PathWalk::offset_of(Seconds time) const {
  const Seconds offset = time - timeline_.begin;
  return offset - std::floor(offset / period_) * period_;
}

}  // namespace stepcast
