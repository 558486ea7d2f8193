#include "models/graph/task_graph.hpp"

#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// Kahn's algorithm, counting only: every task is reached exactly when there is no cycle.
template <class Graph>
bool is_acyclic(const Graph& graph, std::vector<std::uint32_t> in_degree) {
  std::vector<TaskId> ready;
  for (TaskId id = 0; id < in_degree.size(); ++id)
    if (in_degree[id] == 0)
      ready.push_back(id);
  std::size_t reached = 0;
  while (!ready.empty()) {
    const TaskId id = ready.back();
    ready.pop_back();
    ++reached;
    for (auto [it, end] = boost::adjacent_vertices(id, graph); it != end; ++it)
      if (--in_degree[*it] == 0)
        ready.push_back(*it);
  }
  return reached == in_degree.size();
}

std::string list_of(const std::vector<TaskId>& ids) {
  std::string text = std::to_string(ids.front());
  for (std::size_t i = 1; i < ids.size(); ++i)
    text += fmt::format(", {}", ids[i]);
  return text;
}

// Called only after a cycle is known to exist, so it may be slow.
template <class Graph>
std::string describe_cycle(const Graph& graph) {
  std::vector<std::uint32_t> component(num_vertices(graph));
  const auto index = get(boost::vertex_index, graph);
  const auto count =
      boost::strong_components(graph, boost::make_iterator_property_map(component.begin(), index));
  std::vector<std::vector<TaskId>> members(count);
  for (TaskId id = 0; id < component.size(); ++id)
    members[component[id]].push_back(id);
  for (const auto& cycle : members)
    if (cycle.size() > 1)
      return fmt::format("tasks {} wait for each other", list_of(cycle));
  return "a task waits for itself";
}

}  // namespace

struct TaskGraph::Graph {
  using Csr =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, TaskId, std::uint32_t>;
  Csr csr;
};

TaskGraph::TaskGraph(std::vector<Task> tasks, const std::vector<Edge>& edges)
    : tasks_(std::move(tasks)) {
  std::vector<std::uint32_t> in_degree(tasks_.size());
  for (const auto& [before, after] : edges) {
    if (before >= tasks_.size() || after >= tasks_.size())
      throw InputError(fmt::format("dependency {} -> {} names a task outside 0..{}", before, after,
                                   tasks_.size() - 1));
    ++in_degree[after];
  }
  auto graph =
      std::make_unique<Graph>(Graph{Graph::Csr(boost::edges_are_unsorted_multi_pass, edges.begin(),
                                               edges.end(), static_cast<TaskId>(tasks_.size()))});
  if (!is_acyclic(graph->csr, std::move(in_degree)))
    throw InputError("cyclic task graph: " + describe_cycle(graph->csr));
  graph_ = std::move(graph);
}

TaskGraph::TaskGraph(const TaskGraph& other)
    : graph_(std::make_unique<Graph>(*other.graph_)), tasks_(other.tasks_) {}

TaskGraph::TaskGraph(TaskGraph&&) noexcept = default;

TaskGraph& TaskGraph::operator=(TaskGraph other) noexcept {
  graph_.swap(other.graph_);
  tasks_.swap(other.tasks_);
  return *this;
}

TaskGraph::~TaskGraph() = default;

std::span<const TaskId> TaskGraph::successors(TaskId id) const {
  const auto [first, last] = boost::adjacent_vertices(id, graph_->csr);
  return first == last ? std::span<const TaskId>()
                       : std::span(&*first, static_cast<std::size_t>(last - first));
}

std::vector<std::uint32_t> TaskGraph::in_degrees() const {
  std::vector<std::uint32_t> degrees(size());
  for (TaskId before = 0; before < size(); ++before)
    for (const TaskId after : successors(before))
      ++degrees[after];
  return degrees;
}

std::vector<TaskGraph::Edge> TaskGraph::edges() const {
  std::vector<Edge> edges;
  for (TaskId before = 0; before < size(); ++before)
    for (const TaskId after : successors(before))
      edges.emplace_back(before, after);
  return edges;
}

}  // namespace stepcast
