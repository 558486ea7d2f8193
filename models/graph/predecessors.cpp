#include "models/graph/predecessors.hpp"

namespace stepcast {

Predecessors::Predecessors(const TaskGraph& graph,
                           std::span<const std::pair<Predecessor, TaskId>> earlier)
    : first_(graph.size() + 1) {
  const auto size = static_cast<TaskId>(graph.size());
  for (TaskId id = 0; id < size; ++id)
    graph.for_each_successor(id, [&](TaskId after) { ++first_[after + 1]; });
  for (const auto& [before, after] : earlier)
    ++first_[after + 1];
  for (TaskId id = 0; id < size; ++id)
    first_[id + 1] += first_[id];

  list_.resize(first_.back());
  std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
  for (TaskId id = 0; id < size; ++id)
    graph.for_each_successor(id, [&](TaskId after) { list_[fill[after]++] = {id, 0}; });
  for (const auto& [before, after] : earlier)
    list_[fill[after]++] = before;
}

}  // namespace stepcast
