#include "models/graph/edit/work_graph.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {
namespace {

/// By its first index, what follows it.
struct Followers {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> all;

  Followers(std::size_t count, const std::vector<WorkEdge>& edges) : begin(count + 1) {
    for (const WorkEdge& edge : edges)
      ++begin[edge.before + 1];
    for (std::size_t i = 0; i < count; ++i)
      begin[i + 1] += begin[i];
    all.resize(edges.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (const WorkEdge& edge : edges)
      all[next[edge.before]++] = edge.after;
  }
};

/// The edges within the iteration, those from each node to the next of its stream too.
std::vector<WorkEdge> all_edges(const WorkGraph& graph) {
  std::vector<WorkEdge> edges;
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0)
      edges.push_back(edge);
  const std::vector<std::uint32_t> before = nodes_before(graph);
  for (std::uint32_t node = 0; node < before.size(); ++node)
    if (before[node] != kNone)
      edges.push_back({before[node], node});
  return edges;
}

}  // namespace

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

// Kahn's algorithm; what follows a member of a meeting follows the meeting.
std::vector<std::uint32_t> running_order(const WorkGraph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  const std::vector<WorkEdge> edges = all_edges(graph);
  const Followers followers(count, edges);
  std::vector<std::uint32_t> missing(count);
  for (const WorkEdge& edge : edges)
    ++missing[edge.after];
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t node = 0; node < count; ++node)
    if (const std::uint32_t meeting = graph.nodes[node].meeting; meeting != kNone) {
      members.resize(std::max<std::size_t>(members.size(), meeting + 1));
      members[meeting].push_back(node);
    }
  std::vector<std::size_t> absent;
  for (const auto& of : members)
    absent.push_back(of.size());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t node = count; node-- > 0;)
    if (missing[node] == 0)
      ready.push_back(node);
  const auto end = [&](std::uint32_t node) {
    for (std::uint32_t i = followers.begin[node]; i < followers.begin[node + 1]; ++i)
      if (--missing[followers.all[i]] == 0)
        ready.push_back(followers.all[i]);
  };
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    const std::uint32_t meeting = graph.nodes[node].meeting;
    if (meeting == kNone) {
      end(node);
    } else if (--absent[meeting] == 0) {
      order.push_back(count + meeting);
      std::ranges::for_each(members[meeting], end);
    }
  }
  return order;
}

bool can_run(const WorkGraph& graph) {
  std::vector<bool> meets;
  for (const WorkNode& node : graph.nodes)
    if (node.meeting != kNone) {
      meets.resize(std::max<std::size_t>(meets.size(), node.meeting + 1));
      meets[node.meeting] = true;
    }
  const auto meetings = static_cast<std::size_t>(std::ranges::count(meets, true));
  return running_order(graph).size() == graph.nodes.size() + meetings;
}

}  // namespace stepcast
