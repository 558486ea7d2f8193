#include "models/schedule/edited/task_order.hpp"

#include <map>
#include <set>

#include "models/base/error.hpp"

// Kahn's algorithm over what follows what on each stream of each rank, lowest first, so that a plan
// which nobody edits comes back as it was. Linear in nodes, times a logarithm.

namespace stepcast {
namespace {

void put_in_order(const WorkGraph& graph, TaskOrder& order) {
  const std::vector<std::uint32_t> before = nodes_before(graph);
  std::vector<std::uint32_t> missing(order.node_of.size());
  for (std::uint32_t id = 0; id < before.size(); ++id)
    missing[order.task_of[id]] += before[id] == kNone ? 0 : 1;
  const CompressedRows<> followers(missing.size(), [&](auto add) {
    for (std::uint32_t id = 0; id < before.size(); ++id)
      if (before[id] != kNone)
        add(order.task_of[before[id]], order.task_of[id]);
  });
  std::set<TaskId> ready;
  for (TaskId task = 0; task < missing.size(); ++task)
    if (missing[task] == 0)
      ready.insert(task);
  std::vector<TaskId> number(missing.size());
  std::vector<std::uint32_t> nodes;
  while (!ready.empty()) {
    const TaskId task = *ready.begin();
    ready.erase(ready.begin());
    number[task] = static_cast<TaskId>(nodes.size());
    nodes.push_back(order.node_of[task]);
    for (const TaskId after : followers.of(task))
      if (--missing[after] == 0)
        ready.insert(after);
  }
  if (nodes.size() < missing.size())
    throw InputError("two stages would wait for each other: each for another communication");
  order.node_of = std::move(nodes);
  for (TaskId& task : order.task_of)
    task = number[task];
}

}  // namespace

TaskOrder task_order(const WorkGraph& graph) {
  TaskOrder order;
  std::map<std::uint32_t, TaskId> of_meeting;
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
    const std::uint32_t meeting = graph.nodes[id].meeting;
    const auto next = static_cast<TaskId>(order.node_of.size());
    order.task_of.push_back(meeting == kNone ? next
                                             : of_meeting.try_emplace(meeting, next).first->second);
    if (order.task_of.back() == next)
      order.node_of.push_back(id);
  }
  if (!of_meeting.empty())
    put_in_order(graph, order);
  return order;
}

}  // namespace stepcast
