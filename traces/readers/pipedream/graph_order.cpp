#include "traces/readers/pipedream/graph_order.hpp"

#include <functional>
#include <queue>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

namespace {

using Adjacency = std::vector<std::vector<std::uint32_t>>;

/// Some node on a cycle. `waiting` counts the producers of a node that never went; each node with
/// any has a producer with any, so walking back from one ends up in a cycle.
const GraphNode& node_on_cycle(const GraphFile& file, const std::vector<std::size_t>& waiting) {
  std::vector<std::uint32_t> producer(file.nodes.size());
  std::uint32_t node = 0;
  for (const auto& [from, to] : file.edges) {
    if (waiting[from] == 0)
      continue;
    producer[to] = from;
    node = from;
  }
  for (std::size_t i = 0; i < file.nodes.size(); ++i)
    node = producer[node];
  return file.nodes[node];
}

}  // namespace

std::vector<std::uint32_t> forward_order(const GraphFile& file, const std::string& origin) {
  Adjacency consumers(file.nodes.size());
  std::vector<std::size_t> waiting(file.nodes.size(), 0);
  for (const auto& [from, to] : file.edges) {
    consumers[from].push_back(to);
    ++waiting[to];
  }
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // Number in the file, index.
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto push = [&](std::uint32_t i) { ready.emplace(file.nodes[i].number, i); };
  for (std::uint32_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i] == 0)
      push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top().second);
    ready.pop();
    for (const std::uint32_t consumer : consumers[order.back()]) {
      if (--waiting[consumer] == 0)
        push(consumer);
    }
  }
  if (order.size() < file.nodes.size()) {
    const GraphNode& node = node_on_cycle(file, waiting);
    throw InputError(fmt::format("{}: line {}: node{} depends on itself, the edges form a cycle",
                                 origin, node.line, node.number));
  }
  return order;
}

}  // namespace stepcast
