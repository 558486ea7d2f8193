#include "sim/engine/program.hpp"

#include <algorithm>
#include <utility>

#include "models/base/index.hpp"
#include "sim/engine/repeats.hpp"

// Compute tasks that follow each other on a stream, of the same team, with no edge into or out of
// the run between them, become one step: nothing outside can happen in between, so it is exact,
// and a plan of some hundred layers runs in some ten events an iteration. What is kept for steps
// and classes exists only for classes of the step's team (Places), and every class finds its own
// steps in a row that it shares with classes of the same teams: 64 ranks with programs of their own
// cost the sum of their steps, not 64 times that. Time and memory are O(tasks + edges + places).

namespace stepcast {
namespace {

using Edges = std::vector<LaterEdge>;

// All edges, those of the same iteration first.
Edges edges_of(const Plan& plan) {
  Edges edges;
  edges.reserve(2 * plan.graph.size() + plan.next.size() + plan.later.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    plan.graph.for_each_successor(id, [&](TaskId after) { edges.push_back({id, after, 0}); });
  for (const auto& [before, after] : plan.next)
    edges.push_back({before, after, 1});
  edges.insert(edges.end(), plan.later.begin(), plan.later.end());
  return edges;
}

Edges announcements_of(const Plan& plan) {
  Edges edges;
  for (const auto& [task, announced] : plan.announcements)
    edges.push_back({task, announced, 0});
  return edges;
}

// A task at which a merged run must begin (it waits for another) or end (another waits for it).
struct Cuts {
  std::vector<bool> before;
  std::vector<bool> behind;
};

Cuts find_cuts(const Plan& plan, const Edges& edges, const Edges& announcements) {
  const std::size_t tasks = plan.graph.size();
  Cuts cuts{std::vector<bool>(tasks, false), std::vector<bool>(tasks, false)};
  for (const TaskId begin : begins_of_rows(plan))
    cuts.before[begin] = true;
  for (const LaterEdge& edge : edges) {
    cuts.behind[edge.before] = true;
    cuts.before[edge.after] = true;
  }
  for (const LaterEdge& edge : announcements)
    cuts.behind[edge.before] = true;
  return cuts;
}

bool can_append(const ProgramStep& step, const Task& task, TaskId id, const Cuts& cuts) {
  return !step.is_communication() && task.kind != TaskKind::Communication &&
         step.team == task.team && !cuts.behind[step.last] && !cuts.before[id];
}

using StepsOfTasks = std::vector<StepId>;

StepsOfTasks form_steps(Program& program, const Plan& plan, const Cuts& cuts,
                        const CompileOptions& options) {
  std::vector<StepId> last(plan.streams.size(), kNone);
  StepsOfTasks step_of_task(plan.graph.size());
  program.steps.reserve(plan.graph.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    StepId& step = last[task.stream];
    const bool on_host = options.tells_host && task.on_host;
    if (options.merge_compute && step != kNone && program.steps[step].on_host == on_host &&
        can_append(program.steps[step], task, id, cuts)) {
      program.steps[step].last = id;
      program.steps[step].duration += task.duration;
    } else {
      step = static_cast<StepId>(program.steps.size());
      program.steps.push_back({.first = id,
                               .last = id,
                               .stream = task.stream,
                               .team = task.team,
                               .collective = task.collective,
                               .on_host = on_host,
                               .duration = task.duration});
    }
    step_of_task[id] = step;
  }
  return step_of_task;
}

Successors index_successors(const Program& program, const StepsOfTasks& step_of_task,
                            std::span<const LaterEdge> edges) {
  Successors successors;
  successors.offset.assign(program.steps.size() + 1, 0);
  successors.to.resize(edges.size());
  successors.later.resize(edges.size());
  for (const LaterEdge& edge : edges)
    ++successors.offset[step_of_task[edge.before] + 1];
  for (std::size_t i = 1; i < successors.offset.size(); ++i)
    successors.offset[i] += successors.offset[i - 1];
  auto free = successors.offset;
  for (const LaterEdge& edge : edges) {
    const std::uint32_t place = free[step_of_task[edge.before]]++;
    successors.to[place] = step_of_task[edge.after];
    successors.later[place] = edge.iterations;
  }
  return successors;
}

void index_announcements(Program& program, const StepsOfTasks& step_of_task,
                         const Edges& announcements) {
  if (announcements.empty())
    return;
  program.announced = index_successors(program, step_of_task, announcements);
  program.is_announced.assign(program.steps.size(), false);
  for (const StepId step : program.announced.to)
    program.is_announced[step] = true;
}

void index_tasks(Program& program, const Plan& plan, const StepsOfTasks& step_of_task) {
  program.first_task.assign(program.steps.size() + 1, 0);
  for (const StepId step : step_of_task)
    ++program.first_task[step + 1];
  for (std::size_t i = 1; i < program.first_task.size(); ++i)
    program.first_task[i] += program.first_task[i - 1];
  program.tasks.resize(plan.graph.size());
  program.work_at_end.resize(plan.graph.size());
  auto free = program.first_task;
  std::vector<Seconds> done(program.steps.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const StepId step = step_of_task[id];
    done[step] += plan.graph.task(id).duration;
    program.tasks[free[step]] = id;
    program.work_at_end[free[step]++] = done[step];
  }
}

void index_places(Program& program, const Folding& folding) {
  std::vector<TeamId> teams;
  teams.reserve(program.steps.size());
  program.first_meeting = {0};
  program.first_meeting.reserve(program.steps.size() + 1);
  for (const ProgramStep& step : program.steps) {
    teams.push_back(step.team);
    const std::uint32_t meetings = step.is_communication() ? folding.meetings_of(step.team) : 0;
    program.first_meeting.push_back(
        checked_id(std::size_t{program.first_meeting.back()} + meetings, "communications"));
  }
  program.places = Places(std::move(teams), folding.index);
}

// As many as places at most.
void index_runs(Program& program) {
  for (StepId id = 0; id < program.steps.size(); ++id) {
    ProgramStep& step = program.steps[id];
    const std::uint32_t members = program.places.first_of(id + 1) - program.places.first_of(id);
    step.first_run = program.runs;
    step.first_ready = program.readies;
    if (step.is_communication()) {
      program.runs += program.first_meeting[id + 1] - program.first_meeting[id];
      program.readies += members;
    } else {
      program.runs += members;
    }
  }
}

// A dependency holds on the classes that execute both ends. Edges over d iterations begin to hold
// in iteration d.
void count_waits(Program& program, const Folding& folding, const StepsOfTasks& step_of_task,
                 const Edges& edges) {
  std::uint32_t longest = 0;
  for (const LaterEdge& edge : edges)
    longest = std::max(longest, edge.iterations);
  program.waits_for.assign(longest + std::size_t{1},
                           std::vector<std::uint32_t>(program.places.size()));
  for (const LaterEdge& edge : edges) {
    const StepId from = step_of_task[edge.before];
    const StepId to = step_of_task[edge.after];
    for (const ClassId id : folding.members[program.steps[to].team])
      if (program.has(from, id))
        for (std::uint32_t i = edge.iterations; i <= longest; ++i)
          ++program.waits_for[i][program.places.at(to, id)];
  }
}

// Of n predecessors k are enough: those that an early iteration lacks count as met.
void relax_waits(Program& program, const Folding& folding, const StepsOfTasks& step_of_task,
                 const Plan& plan) {
  for (const Quorum& quorum : plan.quorums) {
    const StepId step = step_of_task[quorum.task];
    for (const ClassId id : folding.members[program.steps[step].team]) {
      const std::uint32_t place = program.places.at(step, id);
      const std::uint32_t all = program.waits_for.back()[place];
      const std::uint32_t spared = all - std::min(all, quorum.needed);
      for (std::vector<std::uint32_t>& waits : program.waits_for)
        waits[place] -= std::min(waits[place], spared);
    }
  }
}

AtFirst at_first_of(const Program& program, const Folding& folding,
                    const std::vector<std::uint32_t>& waits) {
  AtFirst first{.members = members_of_meetings(program, folding)};
  for (StepId step = 0; step < program.steps.size(); ++step) {
    const TeamId team = program.steps[step].team;
    if (!program.steps[step].is_communication())
      continue;
    for (const ClassId id : folding.members[team]) {
      if (waits[program.places.at(step, id)] > 0)
        continue;
      first.ready.push_back(program.steps[step].first_ready + program.member(step, id));
      const MeetingId meeting = folding.meeting(team, id);
      if (--first.members[program.first_meeting[step] + meeting - folding.first_meeting[team]] == 0)
        first.meetings.emplace_back(step, meeting);
    }
  }
  return first;
}

}  // namespace

TaskId Program::task_at(StepId step, Seconds done) const {
  const auto begin = work_at_end.begin() + first_task[step];
  const auto last = work_at_end.begin() + first_task[step + 1] - 1;
  return tasks[static_cast<std::size_t>(std::upper_bound(begin, last, done) - work_at_end.begin())];
}

std::vector<std::uint32_t> members_of_meetings(const Program& program, const Folding& folding) {
  std::vector<std::uint32_t> members;
  members.reserve(program.first_meeting.back());
  for (const ProgramStep& step : program.steps)
    if (step.is_communication())
      for (MeetingId id = folding.first_meeting[step.team];
           id < folding.first_meeting[step.team + 1]; ++id)
        members.push_back(static_cast<std::uint32_t>(folding.meetings[id].members.size()));
  return members;
}

Program compile(const Plan& plan, const Folding& folding, const CompileOptions& options) {
  Program program;
  const Edges edges = edges_of(plan);
  const Edges announcements = announcements_of(plan);
  const StepsOfTasks step_of_task =
      form_steps(program, plan, find_cuts(plan, edges, announcements), options);
  if (options.finds_tasks)
    index_tasks(program, plan, step_of_task);
  program.rows = Rows(program.steps, folding, plan.streams.size());
  const auto same = std::ranges::count(edges, 0U, &LaterEdge::iterations);
  const std::span all(edges);
  program.same = index_successors(program, step_of_task, all.first(static_cast<std::size_t>(same)));
  program.next =
      index_successors(program, step_of_task, all.subspan(static_cast<std::size_t>(same)));
  index_announcements(program, step_of_task, announcements);
  index_places(program, folding);
  index_runs(program);
  index_stretches(program, plan);
  count_waits(program, folding, step_of_task, edges);
  relax_waits(program, folding, step_of_task, plan);
  for (const std::vector<std::uint32_t>& waits : program.waits_for)
    program.at_first.push_back(at_first_of(program, folding, waits));
  return program;
}

}  // namespace stepcast
