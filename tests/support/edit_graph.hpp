#pragma once
// Small graphs to edit, and how long they take.

#include <algorithm>
#include <string>
#include <vector>

#include "models/graph/edit/work_graph.hpp"

namespace stepcast {

inline std::uint32_t add_node(WorkGraph& graph, const std::string& name, const std::string& kind,
                              std::uint32_t rank, std::uint32_t stream, double seconds,
                              const std::string& layer = "", double size = 0) {
  WorkNode node;
  node.name = graph.names.number_of(name);
  node.kind = graph.kinds.number_of(kind);
  node.layer = layer.empty() ? kNone : graph.layers.number_of(layer);
  node.stream = stream;
  node.rank = rank;
  node.duration = Seconds{seconds};
  node.size = Bytes{size};
  node.communicates = size > 0;
  graph.nodes.push_back(node);
  return static_cast<std::uint32_t>(graph.nodes.size() - 1);
}

/// See graph_edit_test.cpp.
inline WorkGraph made_graph() {
  WorkGraph graph;
  graph.streams = {{"compute"}, {"communication"}};
  graph.stages = {0, 0};
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    add_node(graph, "forward", "forward", rank, 0, 10);
    const auto first = add_node(graph, "backward first", "backward", rank, 0, 20, "first");
    const auto second = add_node(graph, "backward second", "backward", rank, 0, 20, "second");
    const auto one = add_node(graph, "reduce first", "all-reduce", rank, 1, 8, "first", 8);
    const auto two = add_node(graph, "reduce second", "all-reduce", rank, 1, 8, "second", 8);
    const auto update = add_node(graph, "update", "update", rank, 0, 5);
    graph.nodes[one].meeting = 0;
    graph.nodes[two].meeting = 1;
    for (const auto& [before, next] :
         {std::pair(first, one), {second, two}, {one, update}, {two, update}})
      graph.edges.push_back({before, next});
  }
  return graph;
}

/// A backward pass of 30, a push and a pull of 10 each on streams of their own.
inline WorkGraph push_and_pull() {
  WorkGraph graph;
  graph.streams = {{"compute"}, {"push"}, {"pull"}};
  graph.stages = {0};
  const auto pass = add_node(graph, "backward", "backward", 0, 0, 30);
  const auto push = add_node(graph, "push", "push", 0, 1, 10, "", 10);
  const auto pull = add_node(graph, "pull", "pull", 0, 2, 10, "", 10);
  graph.edges = {{pass, push}, {push, pull}};
  return graph;
}

/// An independent replay, round after round until nothing moves: slow and plain.
inline double last_end(const WorkGraph& graph) {
  std::vector<double> end(graph.nodes.size(), 0);
  const std::vector<std::uint32_t> before = nodes_before(graph);
  for (std::size_t round = 0; round <= graph.nodes.size(); ++round) {
    std::vector<double> ready(end.size(), 0);
    for (const WorkEdge& edge : graph.edges)
      if (edge.later == 0)
        ready[edge.after] = std::max(ready[edge.after], end[edge.before]);
    for (std::size_t node = 0; node < end.size(); ++node) {
      if (before[node] != kNone)
        ready[node] = std::max(ready[node], end[before[node]]);
      ready[node] += graph.nodes[node].delay.value;
    }
    for (std::size_t node = 0; node < end.size(); ++node) {
      double start = ready[node];
      for (std::size_t other = 0; other < end.size(); ++other)
        if (graph.nodes[node].meeting != kNone &&
            graph.nodes[other].meeting == graph.nodes[node].meeting)
          start = std::max(start, ready[other]);
      end[node] = start + graph.nodes[node].duration.value;
    }
  }
  return *std::ranges::max_element(end);
}

}  // namespace stepcast
