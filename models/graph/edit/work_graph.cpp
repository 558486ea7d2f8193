#include "models/graph/edit/work_graph.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {

std::uint32_t SharedTexts::number_of(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end())
    return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

bool is_same_work(const WorkGraph& one, const WorkGraph& other) {
  return one.nodes == other.nodes && one.edges == other.edges && one.streams == other.streams;
}

std::vector<std::uint32_t> nodes_before(const WorkGraph& graph) {
  std::size_t ranks = 1;  // Of none first: kNone + 1 is 0.
  for (const WorkNode& node : graph.nodes)
    ranks = std::max<std::size_t>(ranks, node.rank + 1U + 1U);
  const std::size_t streams = graph.streams.size();
  std::vector<std::uint32_t> last(ranks * streams, kNone);
  std::vector<std::uint32_t> before(graph.nodes.size(), kNone);
  for (std::uint32_t node = 0; node < before.size(); ++node) {
    const WorkNode& of = graph.nodes[node];
    if (graph.streams[of.stream].in_order)
      before[node] = std::exchange(last[(of.rank + 1U) * streams + of.stream], node);
  }
  return before;
}

std::uint32_t meeting_count(const WorkGraph& graph) {
  std::uint32_t count = 0;
  for (const WorkNode& node : graph.nodes)
    count = std::max(count, node.meeting + 1U);  // kNone + 1 is 0.
  return count;
}

CompressedRows<> members_of_meetings(const WorkGraph& graph) {
  return {meeting_count(graph), [&](auto add) {
            for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
              if (graph.nodes[node].meeting != kNone)
                add(graph.nodes[node].meeting, node);
          }};
}

StepGraph step_graph_of(const WorkGraph& graph) {
  std::vector<StepLinks::Edge> edges;
  edges.reserve(graph.edges.size() + graph.nodes.size());
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0)
      edges.emplace_back(edge.before, edge.after);
  const std::vector<std::uint32_t> before = nodes_before(graph);
  for (std::uint32_t node = 0; node < before.size(); ++node)
    if (before[node] != kNone)
      edges.emplace_back(before[node], node);
  return {graph.nodes.size(), {.edges = edges, .meetings = members_of_meetings(graph)}};
}

bool can_run(const WorkGraph& graph) {
  return step_graph_of(graph).can_run();
}

}  // namespace stepcast
