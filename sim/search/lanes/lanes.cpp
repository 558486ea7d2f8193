#include "sim/search/lanes/lanes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/base/error.hpp"
#include "models/graph/edit/structure.hpp"

namespace stepcast {

GraphLanes::GraphLanes(const WorkGraph& graph)
    : graph_(graph), members_(members_of_meetings(graph)), next_(graph.nodes.size(), kNone) {
  std::map<std::pair<CommunicationLane, std::uint32_t>, Ids> by_rank;
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id)
    if (const WorkNode& node = graph.nodes[id]; node.communicates)
      by_rank[{{node.stream, node.kind, graph.members.empty() ? kNone : node.rank}, node.rank}]
          .push_back(id);
  for (auto& [of, nodes] : by_rank)
    lanes_[of.first].push_back(std::move(nodes));
  constexpr std::uint32_t kSeveral = kNone - 1;
  for (const WorkEdge& edge : graph.edges)
    next_[edge.before] = next_[edge.before] == kNone ? edge.after : kSeveral;
  for (std::uint32_t id = 0; id < next_.size(); ++id)
    if (next_[id] == kSeveral || (next_[id] != kNone && (!graph.nodes[id].communicates ||
                                                         !graph.nodes[next_[id]].communicates)))
      next_[id] = kNone;
}

std::span<const GraphLanes::Ids> GraphLanes::nodes_of(const CommunicationLane& lane) const {
  const auto found = lanes_.find(lane);
  return found == lanes_.end() ? std::span<const Ids>() : std::span(found->second);
}

GraphLanes::Ids GraphLanes::partners_of(const CommunicationLane& lane, std::uint32_t id) const {
  const std::uint32_t meeting = graph_.nodes[id].meeting;
  if (lane.rank == kNone || meeting == kNone)
    return {id};
  Ids partners(members_.of(meeting).begin(), members_.of(meeting).end());
  std::ranges::sort(partners, {}, [&](std::uint32_t of) { return graph_.nodes[of].rank; });
  return partners;
}

std::uint32_t GraphLanes::lowest_rank_of(std::uint32_t id) const {
  const auto rank = [&](std::uint32_t of) { return graph_.nodes[of].rank; };
  const std::uint32_t meeting = graph_.nodes[id].meeting;
  return rank(meeting == kNone ? id : std::ranges::min(members_.of(meeting), {}, rank));
}

LaneChange GraphLanes::fusion_at(const LanePlace& place) const {
  std::vector<NodeGroup> groups;
  for (const Ids& nodes : nodes_of(place.lane)) {
    if (nodes.size() < place.number + 2)
      continue;
    std::uint32_t first = nodes[place.number];
    std::uint32_t second = nodes[place.number + 1];
    while (first != kNone && second != kNone && first != second) {
      const auto firsts = partners_of(place.lane, first);
      const auto seconds = partners_of(place.lane, second);
      for (std::size_t i = 0; i < std::min(firsts.size(), seconds.size()); ++i)
        groups.push_back({firsts[i], seconds[i]});
      first = next_[first];
      second = next_[second];
    }
  }
  return {.fused = agreed(graph_, members_, std::move(groups)), .cut = {}};
}

LaneChange GraphLanes::cut_at(const LanePlace& place, std::uint32_t parts) const {
  LaneChange change{.fused = {}, .cut = {}, .parts = parts};
  for (const Ids& nodes : nodes_of(place.lane))
    if (place.number < nodes.size())
      for (std::uint32_t id = nodes[place.number]; id != kNone; id = next_[id])
        std::ranges::copy(partners_of(place.lane, id), std::back_inserter(change.cut));
  return change;
}

WorkGraph changed(const WorkGraph& graph, const LaneChange& change, const TransferRatio& ratio) {
  GraphEditor editor(graph);
  if (!change.fused.empty())
    merge(change.fused, std::nullopt, ratio, editor);
  if (!change.cut.empty())
    split(change.cut, change.parts, std::nullopt, ratio, editor);
  WorkGraph result = std::move(editor).finish();
  if (graph.planned && !can_run(result))
    throw InputError("something would wait for itself");
  return result;
}

}  // namespace stepcast
