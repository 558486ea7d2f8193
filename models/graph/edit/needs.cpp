#include "models/graph/edit/needs.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

std::vector<std::uint32_t> places_in_ranks(const WorkGraph& graph) {
  std::map<std::uint32_t, std::uint32_t> count;
  std::vector<std::uint32_t> places;
  for (const WorkNode& node : graph.nodes)
    places.push_back(count[node.rank]++);
  return places;
}

/// The edges, those first whose later end runs last.
std::vector<WorkEdge> backwards(const WorkGraph& graph) {
  std::vector<std::uint32_t> position(graph.nodes.size(), kNone);
  std::uint32_t next = 0;
  const StepGraph steps = step_graph_of(graph);
  for (const std::uint32_t place : steps.order())
    if (place < position.size())
      position[place] = next++;
  std::vector<WorkEdge> edges;
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0)
      edges.push_back(edge);
  std::ranges::sort(edges, std::ranges::greater(),
                    [&](const WorkEdge& edge) { return position[edge.after]; });
  return edges;
}

/// Of those streams.
bool overtakes(const WorkGraph& graph, const std::vector<bool>& on_stream) {
  const std::vector<std::uint32_t> needs = needs_of(graph);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> latest;
  for (std::uint32_t id = 0; id < needs.size(); ++id) {
    const WorkNode& node = graph.nodes[id];
    if (!node.communicates || !on_stream[node.stream] || !graph.streams[node.stream].in_order)
      continue;
    std::uint32_t& ahead = latest.try_emplace({node.rank, node.stream}, 0).first->second;
    if (needs[id] < ahead)
      return true;
    ahead = needs[id];
  }
  return false;
}

void require_what_they_wait_for(const WorkGraph& graph, const std::vector<bool>& is_ranked) {
  std::vector<bool> waits(graph.nodes.size());
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0)
      waits[edge.after] = true;
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
    const WorkNode& node = graph.nodes[id];
    if (!is_ranked[node.stream])
      continue;
    if (!node.communicates)
      throw InputError(
          fmt::format("stream {} computes, too: expected communications on streams of their own",
                      in_quotes(graph.streams[node.stream].name)));
    if (!waits[id])
      throw InputError(fmt::format(
          "what {} waits for was not recorded, so that it is not known when it could go first",
          in_quotes(graph.names[node.name])));
  }
}

}  // namespace

std::vector<std::uint32_t> needs_of(const WorkGraph& graph) {
  const std::vector<std::uint32_t> places = places_in_ranks(graph);
  std::vector<std::uint32_t> needs(graph.nodes.size(), kNone);
  for (const WorkEdge& edge : backwards(graph))
    needs[edge.before] =
        std::min(needs[edge.before],
                 graph.nodes[edge.after].communicates ? needs[edge.after] : places[edge.after]);
  std::map<std::uint32_t, std::uint32_t> of_meeting;
  for (std::uint32_t id = 0; id < needs.size(); ++id)
    if (const std::uint32_t meeting = graph.nodes[id].meeting; meeting != kNone) {
      const auto found = of_meeting.try_emplace(meeting, needs[id]).first;
      found->second = std::min(found->second, needs[id]);
    }
  for (std::uint32_t id = 0; id < needs.size(); ++id)
    if (graph.nodes[id].meeting != kNone)
      needs[id] = of_meeting.at(graph.nodes[id].meeting);
  return needs;
}

bool overtakes(const WorkGraph& graph) {
  return overtakes(graph, std::vector<bool>(graph.streams.size(), true));
}

void reorder_by_need(const std::vector<std::uint32_t>& nodes, GraphEditor& editor) {
  WorkGraph& graph = editor.graph();
  if (graph.planned)
    throw InputError("what a planned step needs first are its first layers: expected by=layer");
  std::vector<bool> is_ranked(graph.streams.size());
  for (const std::uint32_t id : nodes)
    is_ranked[graph.nodes[id].stream] =
        is_ranked[graph.nodes[id].stream] || graph.nodes[id].communicates;
  if (!overtakes(graph, is_ranked))
    throw InputError(
        "no communication is needed in the step before one that is ahead of it on its stream");
  require_what_they_wait_for(graph, is_ranked);
  const std::vector<std::uint32_t> needs = needs_of(graph);
  constexpr std::uint32_t kLast = std::numeric_limits<std::int32_t>::max();
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id)
    if (is_ranked[graph.nodes[id].stream])
      editor.node(id).priority = static_cast<std::int32_t>(std::min(needs[id], kLast));
  for (std::size_t stream = 0; stream < is_ranked.size(); ++stream)
    if (is_ranked[stream])
      graph.streams[stream] = {graph.streams[stream].name, false, true};
}

}  // namespace stepcast
