#include "models/schedule/issue_order.hpp"

#include <functional>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// For each task the next one on its stream, or kNone.
std::vector<TaskId> next_on_stream(const Plan& plan) {
  std::vector<TaskId> next(plan.graph.size(), kNone);
  std::vector<TaskId> last(plan.streams.size(), kNone);
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    TaskId& before = last[plan.graph.task(id).stream];
    if (before != kNone)
      next[before] = id;
    before = id;
  }
  return next;
}

/// Communication first, then the lower id.
using Urgency = std::pair<bool, TaskId>;

Urgency urgency_of(const Plan& plan, TaskId id) {
  return {plan.graph.task(id).kind != TaskKind::Communication, id};
}

}  // namespace

std::vector<TaskId> issue_order(const Plan& plan) {
  const std::vector<TaskId> next = next_on_stream(plan);
  std::vector<std::uint32_t> waits = plan.graph.in_degrees();
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (next[id] != kNone)
      ++waits[next[id]];
  std::priority_queue<Urgency, std::vector<Urgency>, std::greater<>> free;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (waits[id] == 0)
      free.push(urgency_of(plan, id));
  std::vector<TaskId> order;
  const auto release = [&](TaskId id) {
    if (--waits[id] == 0)
      free.push(urgency_of(plan, id));
  };
  while (!free.empty()) {
    const TaskId id = free.top().second;
    free.pop();
    order.push_back(id);
    plan.graph.for_each_successor(id, release);
    if (next[id] != kNone)
      release(next[id]);
  }
  if (order.size() != plan.graph.size())
    throw InputError(fmt::format("{} of {} tasks wait for each other across the streams' orders",
                                 plan.graph.size() - order.size(), plan.graph.size()));
  return order;
}

}  // namespace stepcast
