#include "sim/study/edits/lanes.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "models/base/error.hpp"
#include "models/graph/edit/structure.hpp"

namespace stepcast {
namespace {

/// The same communication as other stages have it, itself included; of all ranks it alone, where
/// the lane is of all.
std::vector<std::uint32_t> partners_of(const WorkGraph& graph, const CommunicationLane& lane,
                                       std::uint32_t id) {
  const std::uint32_t meeting = graph.nodes[id].meeting;
  if (lane.rank == kNone || meeting == kNone)
    return {id};
  std::vector<std::uint32_t> partners;
  for (std::uint32_t other = 0; other < graph.nodes.size(); ++other)
    if (graph.nodes[other].meeting == meeting)
      partners.push_back(other);
  std::ranges::sort(partners, {}, [&](std::uint32_t of) { return graph.nodes[of].rank; });
  return partners;
}

WorkGraph finished(GraphEditor editor) {
  WorkGraph graph = std::move(editor).finish();
  if (!can_run(graph))
    throw InputError("something would wait for itself");
  return graph;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> nodes_of(const WorkGraph& graph,
                                                 const CommunicationLane& lane) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_rank;
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
    const WorkNode& node = graph.nodes[id];
    if (node.communicates && node.stream == lane.stream && node.kind == lane.kind &&
        (lane.rank == kNone || node.rank == lane.rank))
      by_rank[node.rank].push_back(id);
  }
  std::vector<std::vector<std::uint32_t>> nodes;
  for (auto& [rank, of] : by_rank)
    nodes.push_back(std::move(of));
  return nodes;
}

std::vector<CommunicationLane> lanes_of(const WorkGraph& graph) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  for (const WorkNode& node : graph.nodes)
    if (node.communicates)
      seen.emplace(node.stream, node.kind, graph.members.empty() ? kNone : node.rank);
  std::vector<CommunicationLane> lanes;
  for (const auto& [stream, kind, rank] : seen)
    lanes.push_back({stream, kind, rank});
  return lanes;
}

std::vector<std::uint32_t> passed_on_to(const WorkGraph& graph) {
  constexpr std::uint32_t kSeveral = kNone - 1;
  std::vector<std::uint32_t> next(graph.nodes.size(), kNone);
  for (const WorkEdge& edge : graph.edges)
    next[edge.before] = next[edge.before] == kNone ? edge.after : kSeveral;
  for (std::uint32_t id = 0; id < next.size(); ++id)
    if (next[id] == kSeveral || (next[id] != kNone && (!graph.nodes[id].communicates ||
                                                       !graph.nodes[next[id]].communicates)))
      next[id] = kNone;
  return next;
}

WorkGraph fused_at(const WorkGraph& graph, const LanePlace& place, const TransferRatio& ratio) {
  const std::vector<std::uint32_t> next = passed_on_to(graph);
  std::vector<NodeGroup> groups;
  for (const auto& nodes : nodes_of(graph, place.lane)) {
    if (nodes.size() < place.number + 2)
      continue;
    std::uint32_t first = nodes[place.number];
    std::uint32_t second = nodes[place.number + 1];
    while (first != kNone && second != kNone && first != second) {
      const auto firsts = partners_of(graph, place.lane, first);
      const auto seconds = partners_of(graph, place.lane, second);
      for (std::size_t i = 0; i < std::min(firsts.size(), seconds.size()); ++i)
        groups.push_back({firsts[i], seconds[i]});
      first = next[first];
      second = next[second];
    }
  }
  GraphEditor editor(graph);
  merge(agreed(graph, std::move(groups)), std::nullopt, ratio, editor);
  return finished(std::move(editor));
}

WorkGraph split_at(const WorkGraph& graph, const LanePlace& place, std::uint32_t parts,
                   const TransferRatio& ratio) {
  const std::vector<std::uint32_t> next = passed_on_to(graph);
  std::vector<std::uint32_t> nodes;
  for (const auto& of : nodes_of(graph, place.lane))
    if (place.number < of.size())
      for (std::uint32_t id = of[place.number]; id != kNone; id = next[id])
        std::ranges::copy(partners_of(graph, place.lane, id), std::back_inserter(nodes));
  GraphEditor editor(graph);
  split(nodes, parts, std::nullopt, ratio, editor);
  return finished(std::move(editor));
}

}  // namespace stepcast
