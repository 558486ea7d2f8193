#include "sim/engine/program.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {
namespace {

using Edges = std::vector<TaskGraph::Edge>;

// A task at which a merged run must begin (it waits for another) or end (another waits for it).
struct Cuts {
  std::vector<bool> before;
  std::vector<bool> behind;
};

Cuts find_cuts(std::size_t tasks, const Edges& same, const Edges& next) {
  Cuts cuts{std::vector<bool>(tasks, false), std::vector<bool>(tasks, false)};
  for (const Edges* edges : {&same, &next})
    for (const auto& [before, after] : *edges) {
      cuts.behind[before] = true;
      cuts.before[after] = true;
    }
  return cuts;
}

bool can_append(const ProgramStep& step, const Task& task, TaskId id, const Cuts& cuts) {
  return !step.is_communication() && task.kind != TaskKind::Communication &&
         step.group == task.group && !cuts.behind[step.last] && !cuts.before[id];
}

void form_steps(Program& program, const Plan& plan, const Cuts& cuts, bool merge_compute) {
  program.of_stream.resize(plan.streams.size());
  program.step_of_task.resize(plan.graph.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    auto& stream = program.of_stream[task.stream];
    if (merge_compute && !stream.empty() &&
        can_append(program.steps[stream.back()], task, id, cuts)) {
      program.steps[stream.back()].last = id;
      program.steps[stream.back()].duration += task.duration;
    } else {
      stream.push_back(static_cast<StepId>(program.steps.size()));
      program.steps.push_back({.first = id,
                               .last = id,
                               .stream = task.stream,
                               .group = task.group,
                               .collective = task.collective,
                               .duration = task.duration});
    }
    program.step_of_task[id] = stream.back();
  }
}

Program::Successors index_successors(const Program& program, const Edges& edges) {
  Program::Successors successors;
  successors.offset.assign(program.steps.size() + 1, 0);
  successors.to.resize(edges.size());
  for (const auto& [before, after] : edges)
    ++successors.offset[program.step_of_task[before] + 1];
  for (std::size_t i = 1; i < successors.offset.size(); ++i)
    successors.offset[i] += successors.offset[i - 1];
  auto free = successors.offset;
  for (const auto& [before, after] : edges)
    successors.to[free[program.step_of_task[before]]++] = program.step_of_task[after];
  return successors;
}

void index_tasks(Program& program, const Plan& plan) {
  program.first_task.assign(program.steps.size() + 1, 0);
  for (const StepId step : program.step_of_task)
    ++program.first_task[step + 1];
  for (std::size_t i = 1; i < program.first_task.size(); ++i)
    program.first_task[i] += program.first_task[i - 1];
  program.tasks.resize(plan.graph.size());
  program.work_at_end.resize(plan.graph.size());
  auto free = program.first_task;
  std::vector<Seconds> done(program.steps.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const StepId step = program.step_of_task[id];
    done[step] += plan.graph.task(id).duration;
    program.tasks[free[step]] = id;
    program.work_at_end[free[step]++] = done[step];
  }
}

// A dependency holds on the classes that execute both ends.
void count_waits(const Program& program, const Edges& edges, std::vector<std::uint16_t>& waits) {
  for (const auto& [before, after] : edges) {
    const StepId from = program.step_of_task[before];
    const StepId to = program.step_of_task[after];
    for (ClassId id = 0; id < program.classes; ++id)
      if (program.has(from, id) && program.has(to, id))
        ++waits[to * program.classes + id];
  }
}

}  // namespace

TaskId Program::task_at(StepId step, Seconds done) const {
  const auto begin = work_at_end.begin() + first_task[step];
  const auto last = work_at_end.begin() + first_task[step + 1] - 1;
  return tasks[static_cast<std::size_t>(std::upper_bound(begin, last, done) - work_at_end.begin())];
}

Program compile(const Plan& plan, const Folding& folding, bool merge_compute) {
  Program program;
  program.classes = static_cast<std::uint32_t>(folding.classes.size());
  program.is_member.assign(plan.groups.size() * program.classes, false);
  for (std::size_t group = 0; group < plan.groups.size(); ++group)
    for (const ClassId id : folding.members[group])
      program.is_member[group * program.classes + id] = true;
  const Edges same = plan.graph.edges();
  form_steps(program, plan, find_cuts(plan.graph.size(), same, plan.next), merge_compute);
  index_tasks(program, plan);
  program.same = index_successors(program, same);
  program.next = index_successors(program, plan.next);
  program.waits_for_first.assign(program.steps.size() * program.classes, 0);
  count_waits(program, same, program.waits_for_first);
  program.waits_for = program.waits_for_first;
  count_waits(program, plan.next, program.waits_for);
  return program;
}

}  // namespace stepcast
