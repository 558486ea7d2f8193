#include "models/schedule/period.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// Where what a kind refers to lies in the lists of the period.
struct Offsets {
  std::uint32_t labels = 0;
  std::uint32_t collectives = 0;
  std::uint32_t teams = 0;  // of the teams after the first, which is the world of all kinds

  Task moved(Task task) const {
    task.label += labels;
    if (task.kind == TaskKind::Communication)
      task.collective += collectives;
    if (task.team > 0)
      task.team += teams;
    return task;
  }
};

template <class T>
void append(std::vector<T>& list, std::span<const T> more) {
  list.insert(list.end(), more.begin(), more.end());
}

// What tasks refer to, once for each kind.
std::vector<Offsets> merge_lists(Plan& period, std::span<const Plan> kinds) {
  std::vector<Offsets> offsets;
  for (const Plan& kind : kinds) {
    assert(kind.streams.size() == period.streams.size() && kind.next.empty());
    offsets.push_back({.labels = static_cast<std::uint32_t>(period.labels.size()),
                       .collectives = static_cast<std::uint32_t>(period.collectives.size()),
                       .teams = static_cast<std::uint32_t>(period.teams.size() - 1)});
    append<std::string>(period.labels, kind.labels);
    append<PlannedCollective>(period.collectives, kind.collectives);
    append<Team>(period.teams, std::span(kind.teams).subspan(1));
  }
  return offsets;
}

void append_step(std::vector<Task>& tasks, std::vector<TaskGraph::Edge>& edges, const Plan& step,
                 const Offsets& offsets) {
  const auto first = static_cast<TaskId>(tasks.size());
  for (TaskId id = 0; id < step.graph.size(); ++id) {
    tasks.push_back(offsets.moved(step.graph.task(id)));
    step.graph.for_each_successor(
        id, [&](TaskId after) { edges.emplace_back(first + id, first + after); });
  }
}

// Matrices are kept between the steps that renew them.
SecondOrderMemory most_held(std::span<const Plan> kinds) {
  const auto held = [](const Plan& kind) { return kind.second_order.total(); };
  return std::ranges::max(kinds, {}, held).second_order;
}

void check_size(std::span<const Plan> kinds, std::span<const std::uint32_t> order) {
  constexpr std::uint64_t kMostTasks = 2'000'000;
  std::uint64_t tasks = 0;
  for (const std::uint32_t kind : order)
    tasks += kinds[kind].graph.size();
  if (tasks > kMostTasks)
    throw InputError(
        fmt::format("{}: a period of {} steps would be a plan of {} tasks; expected intervals that "
                    "make at most {}",
                    kinds[order.front()].schedule, order.size(), tasks, kMostTasks));
}

}  // namespace

Plan period_of(std::span<const Plan> kinds, std::span<const std::uint32_t> order) {
  assert(!order.empty());
  check_size(kinds, order);
  const Plan& head = kinds[order.front()];
  Plan period{.schedule = head.schedule,
              .graph = TaskGraph({}, {}),
              .streams = head.streams,
              .teams = {head.teams.front()},
              .second_order = most_held(kinds),
              .notes = head.notes};
  const std::vector<Offsets> offsets = merge_lists(period, kinds);
  std::vector<Task> tasks;
  std::vector<TaskGraph::Edge> edges;
  for (const std::uint32_t kind : order) {
    if (!tasks.empty())
      period.later_steps.push_back(static_cast<TaskId>(tasks.size()));
    append_step(tasks, edges, kinds[kind], offsets[kind]);
  }
  period.graph = TaskGraph(tasks, edges);
  return period;
}

}  // namespace stepcast
