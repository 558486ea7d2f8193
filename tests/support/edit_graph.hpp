#pragma once
// Small graphs to edit, and how long they take.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "models/graph/edit/graph_edit.hpp"

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

/// Of a data-parallel step: four kernels of each layer forward and, in the order of the gradients,
/// backward, each layer's all-reduce behind them, and the update behind all.
inline WorkGraph reduced_layers(std::uint32_t ranks, std::uint32_t layers) {
  constexpr std::uint32_t kKernels = 4;
  WorkGraph graph;
  graph.streams = {{"compute"}, {"communication"}};
  graph.stages.assign(ranks, 0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto passes = [&](const char* kind, std::uint32_t layer, double seconds) {
      std::uint32_t last = 0;
      for (std::uint32_t kernel = 0; kernel < kKernels; ++kernel) {
        const double uneven = 1 + 0.01 * ((7 * rank + 3 * layer + kernel) % 5);
        last = add_node(graph, std::string(kind) + std::to_string(layer), kind, rank, 0,
                        seconds * uneven, "layer" + std::to_string(layer));
        graph.nodes[last].delay = Seconds{1e-6};
      }
      return last;
    };
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      passes("forward", layer, 1e-4);
    std::vector<std::uint32_t> sums;
    for (std::uint32_t layer = layers; layer-- > 0;) {
      const std::uint32_t pass = passes("backward", layer, 2e-4);
      sums.push_back(add_node(graph, "reduce" + std::to_string(layer), "all-reduce", rank, 1, 9e-4,
                              "layer" + std::to_string(layer), 1e6 + 1e5 * (layer % 7)));
      graph.nodes[sums.back()].meeting = layer;
      graph.edges.push_back({pass, sums.back()});
    }
    const std::uint32_t update = add_node(graph, "update", "update", rank, 0, 1e-3);
    for (const std::uint32_t sum : sums)
      graph.edges.push_back({sum, update});
  }
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id)
    graph.nodes[id].origin = id;
  return graph;
}

/// Ranks that do the same for random times: passes, communications of all ranks or of one, some of
/// which another passes on, and edges from earlier ones.
inline WorkGraph random_graph(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  struct Operation {
    std::uint32_t stream = 0;
    std::uint32_t meets = 0;
    double size = 0;
    std::vector<std::uint32_t> behind;
  };
  std::vector<Operation> operations;
  for (std::uint32_t i = 0; i < 12 + below(20); ++i) {
    Operation of{.stream = below(4), .meets = below(2), .size = 0, .behind = {}};
    of.size = of.stream > 0 ? 1.0 + below(9) : 0;
    const bool passes_on = i > 0 && of.stream > 0 && operations[i - 1].stream > 0 && below(2) == 0;
    if (passes_on)
      of.behind = {i - 1};
    for (std::uint32_t edge = 0; !passes_on && i > 0 && edge < below(3); ++edge)
      of.behind.push_back(below(i));
    operations.push_back(of);
  }
  WorkGraph graph;
  graph.streams = {{"compute"}, {"one"}, {"two"}, {"beside", false}};
  graph.stages.assign(1 + below(4), 0);
  for (std::uint32_t rank = 0; rank < graph.stages.size(); ++rank) {
    const auto first = static_cast<std::uint32_t>(graph.nodes.size());
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Operation& of = operations[i];
      const auto id = add_node(graph, std::to_string(i), of.size > 0 ? "sum" : "pass", rank,
                               of.stream, 0.1 * below(50), "", of.size);
      graph.nodes[id].origin = id;
      graph.nodes[id].delay = Seconds{0.01 * below(10)};
      if (of.size > 0 && of.meets > 0)
        graph.nodes[id].meeting = i;
      for (const std::uint32_t before : of.behind)
        graph.edges.push_back({first + before, id});
    }
  }
  return graph;
}

/// An edit as it is written.
inline GraphEdit graph_edit_of_text(std::string_view text) {
  const auto [verb, fields] = words_of_edit(text);
  return graph_edit_of(verb, fields);
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
