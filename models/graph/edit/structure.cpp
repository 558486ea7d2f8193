#include "models/graph/edit/structure.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace stepcast {
namespace {

Bytes merged_size(const WorkGraph& graph, const NodeGroup& group) {
  Bytes size{};
  for (const std::uint32_t id : group)
    size += graph.nodes[id].free ? Bytes{} : graph.nodes[id].size;
  return size;
}

/// The sum; of communications of known sizes times T(all bytes) over the sum of all T(bytes).
Seconds merged_time(const WorkGraph& graph, const NodeGroup& group, const TransferRatio& ratio) {
  const Bytes all = merged_size(graph, group);
  Seconds sum{};
  double parts = 0;
  bool known = ratio != nullptr;
  for (const std::uint32_t id : group) {
    const WorkNode& node = graph.nodes[id];
    sum += node.duration;
    known = known && node.communicates && node.size > Bytes{};
    if (known)
      parts += 1 / ratio(graph.kinds[node.kind], node, all, 0, 0);
  }
  return known && parts > 0 ? sum / parts : sum;
}

/// By node, how long the longest communication takes that waits for it.
std::vector<Seconds> longest_held_up(const WorkGraph& graph) {
  std::vector<Seconds> held(graph.nodes.size());
  for (const WorkEdge& edge : graph.edges)
    if (edge.later == 0 && graph.nodes[edge.after].communicates)
      held[edge.before] = std::max(held[edge.before], graph.nodes[edge.after].duration);
  return held;
}

/// "conv1 .. fc", also of what is such a row already.
std::string merged_name(const std::string& first, const std::string& last) {
  constexpr std::string_view kBetween = " .. ";
  const std::size_t behind = last.rfind(kBetween);
  return fmt::format("{}{}{}", first.substr(0, first.find(kBetween)), kBetween,
                     behind == std::string::npos ? last : last.substr(behind + kBetween.size()));
}

/// Whether two neighbours may be one: planned communications of one team and kind only.
bool are_alike(const WorkNode& one, const WorkNode& two) {
  return one.communicates == two.communicates && one.team == two.team && one.fusable &&
         two.fusable && (one.team == kNone || one.kind == two.kind);
}

}  // namespace

std::vector<std::uint32_t> meetings_of(const WorkGraph& graph, const NodeGroup& group) {
  std::vector<std::uint32_t> meetings;
  for (const std::uint32_t id : group)
    meetings.push_back(graph.nodes[id].meeting);
  return meetings;
}

std::vector<NodeGroup> agreed(const WorkGraph& graph, const CompressedRows<>& members,
                              std::vector<NodeGroup> groups) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> seen;
  for (const NodeGroup& group : groups)
    ++seen[meetings_of(graph, group)];
  std::erase_if(groups, [&](const NodeGroup& group) {
    const std::vector<std::uint32_t> meetings = meetings_of(graph, group);
    return std::ranges::any_of(meetings, [&](std::uint32_t meeting) {
      return meeting != kNone && members.of(meeting).size() != seen[meetings];
    });
  });
  return groups;
}

void resize(WorkNode& node, Bytes size, const std::string& kind, const TransferRatio& ratio) {
  if (node.size > Bytes{} && node.communicates)
    node.duration = node.duration * (ratio ? ratio(kind, node, size, 0, 0) : size / node.size);
  node.size = size;
}

std::uint32_t stream_of(const std::string& name, WorkGraph& graph) {
  const auto found = std::ranges::find(graph.streams, name, &WorkStream::name);
  const auto number = static_cast<std::uint32_t>(found - graph.streams.begin());
  if (found == graph.streams.end())
    graph.streams.push_back({.name = name});
  return number;
}

std::vector<NodeGroup> rows_of(
    const WorkGraph& graph, const std::vector<std::uint32_t>& chosen,
    const std::function<bool(const NodeRow& row, std::uint32_t id)>& ends_before) {
  std::vector<bool> is_chosen(graph.nodes.size());
  for (const std::uint32_t id : chosen)
    is_chosen[id] = true;
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeRow> open;
  std::vector<NodeGroup> rows;
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
    const WorkNode& node = graph.nodes[id];
    NodeRow& row = open[{node.rank, node.stream}];
    if (!row.nodes.empty() && (!is_chosen[id] || ends_before(row, id)))
      rows.push_back(std::exchange(row, {}).nodes);
    if (!is_chosen[id])
      continue;
    row.nodes.push_back(id);
    row.size += node.size;
  }
  for (auto& [lane, row] : open)
    if (!row.nodes.empty())
      rows.push_back(std::move(row.nodes));
  return rows;
}

std::vector<bool> waits_elsewhere(const WorkGraph& graph) {
  std::vector<bool> waits(graph.nodes.size());
  for (const WorkEdge& edge : graph.edges) {
    const WorkNode& before = graph.nodes[edge.before];
    const WorkNode& after = graph.nodes[edge.after];
    if (edge.later == 0 && !after.communicates &&
        (before.stream != after.stream || before.rank != after.rank))
      waits[edge.after] = true;
  }
  return waits;
}

std::vector<NodeGroup> neighbours(const WorkGraph& graph, const std::vector<std::uint32_t>& chosen,
                                  const RowEnds& ends) {
  const std::vector<bool> begins = ends.at_waits ? waits_elsewhere(graph) : std::vector<bool>();
  const std::vector<Seconds> held = ends.apart ? longest_held_up(graph) : std::vector<Seconds>();
  std::vector<NodeGroup> groups = rows_of(graph, chosen, [&](const NodeRow& row, std::uint32_t id) {
    const std::uint32_t last = row.nodes.back();
    const WorkNode& node = graph.nodes[id];
    const WorkNode& before = graph.nodes[last];
    const bool apart =
        ends.apart && !node.communicates && (before.kind != node.kind || held[last] > node.delay);
    return !are_alike(before, node) || apart || (ends.at_waits && begins[id]) ||
           (ends.up_to && row.size >= *ends.up_to);
  });
  std::erase_if(groups, [](const NodeGroup& group) { return group.size() < 2; });
  std::ranges::sort(groups);
  return agreed(graph, members_of_meetings(graph), std::move(groups));
}

WorkNode merged_node(const WorkGraph& graph, const NodeGroup& group, std::optional<Seconds> time,
                     const TransferRatio& ratio) {
  WorkNode node = graph.nodes[group.back()];
  node.duration = time.value_or(merged_time(graph, group, ratio));
  node.size = merged_size(graph, group);
  node.delay = graph.nodes[group.front()].delay;
  for (const std::uint32_t id : group) {
    node.priority = std::min(node.priority, graph.nodes[id].priority);
    node.free = node.free && graph.nodes[id].free;
  }
  return node;
}

void merge(const std::vector<NodeGroup>& groups, std::optional<Seconds> time,
           const TransferRatio& ratio, GraphEditor& editor) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> meetings;
  const auto new_meetings = meeting_count(editor.graph());
  for (const NodeGroup& group : groups) {
    WorkNode& into = editor.node(group.back());
    into = merged_node(editor.graph(), group, time, ratio);
    if (into.meeting != kNone)
      into.meeting = meetings
                         .try_emplace(meetings_of(editor.graph(), group),
                                      new_meetings + static_cast<std::uint32_t>(meetings.size()))
                         .first->second;
    into.name = editor.graph().names.number_of(merged_name(
        editor.graph().names[editor.node(group.front()).name], editor.graph().names[into.name]));
    for (std::size_t i = 0; i + 1 < group.size(); ++i)
      editor.put_into(group[i], group.back());
  }
}

}  // namespace stepcast
