#include "models/graph/edit/structure.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace stepcast {
namespace {

/// By meeting, how many nodes it has.
std::vector<std::uint32_t> member_counts(const WorkGraph& graph) {
  std::vector<std::uint32_t> counts;
  for (const WorkNode& node : graph.nodes)
    if (node.meeting != kNone) {
      counts.resize(std::max<std::size_t>(counts.size(), node.meeting + 1));
      ++counts[node.meeting];
    }
  return counts;
}

/// The meetings of a group's nodes: those of the same are one when merged.
std::vector<std::uint32_t> meetings_of(const WorkGraph& graph, const NodeGroup& group) {
  std::vector<std::uint32_t> meetings;
  for (const std::uint32_t id : group)
    meetings.push_back(graph.nodes[id].meeting);
  return meetings;
}

Bytes merged_size(const WorkGraph& graph, const NodeGroup& group) {
  Bytes size{};
  for (const std::uint32_t id : group)
    size += graph.nodes[id].size;
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
      parts += 1 / ratio(graph.kinds[node.kind], node.size, all, 0, 0);
  }
  return known && parts > 0 ? sum / parts : sum;
}

/// "conv1 .. fc", also of what is such a row already.
std::string merged_name(const std::string& first, const std::string& last) {
  constexpr std::string_view kBetween = " .. ";
  const std::size_t behind = last.rfind(kBetween);
  return fmt::format("{}{}{}", first.substr(0, first.find(kBetween)), kBetween,
                     behind == std::string::npos ? last : last.substr(behind + kBetween.size()));
}

}  // namespace

std::vector<NodeGroup> agreed(const WorkGraph& graph, std::vector<NodeGroup> groups) {
  const std::vector<std::uint32_t> counts = member_counts(graph);
  std::map<std::vector<std::uint32_t>, std::uint32_t> seen;
  for (const NodeGroup& group : groups)
    ++seen[meetings_of(graph, group)];
  std::erase_if(groups, [&](const NodeGroup& group) {
    const std::vector<std::uint32_t> meetings = meetings_of(graph, group);
    return std::ranges::any_of(meetings, [&](std::uint32_t meeting) {
      return meeting != kNone && counts[meeting] != seen[meetings];
    });
  });
  return groups;
}

void resize(WorkNode& node, Bytes size, const std::string& kind, const TransferRatio& ratio) {
  if (node.size > Bytes{} && node.communicates)
    node.duration = node.duration * (ratio ? ratio(kind, node.size, size, 0, 0) : size / node.size);
  node.size = size;
}

std::uint32_t stream_of(const std::string& name, WorkGraph& graph) {
  const auto found = std::ranges::find(graph.streams, name, &WorkStream::name);
  const auto number = static_cast<std::uint32_t>(found - graph.streams.begin());
  if (found == graph.streams.end())
    graph.streams.push_back({.name = name});
  return number;
}

std::vector<NodeGroup> neighbours(const WorkGraph& graph, const std::vector<std::uint32_t>& chosen,
                                  std::optional<Bytes> up_to) {
  std::vector<bool> is_chosen(graph.nodes.size());
  for (const std::uint32_t id : chosen)
    is_chosen[id] = true;
  struct Open {
    NodeGroup group;
    Bytes size{};
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Open> open;
  std::vector<NodeGroup> groups;
  const auto close = [&](Open& of) {
    if (of.group.size() > 1)
      groups.push_back(std::move(of.group));
    of = {};
  };
  for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
    const WorkNode& node = graph.nodes[id];
    Open& of = open[{node.rank, node.stream}];
    const bool other =
        !of.group.empty() && graph.nodes[of.group.back()].communicates != node.communicates;
    if (!is_chosen[id] || other)
      close(of);
    if (!is_chosen[id])
      continue;
    of.group.push_back(id);
    of.size += node.size;
    if (up_to && of.size >= *up_to)
      close(of);
  }
  for (auto& [lane, of] : open)
    close(of);
  std::ranges::sort(groups);
  return agreed(graph, std::move(groups));
}

void merge(const std::vector<NodeGroup>& groups, std::optional<Seconds> time,
           const TransferRatio& ratio, GraphEditor& editor) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> meetings;
  const auto new_meetings = static_cast<std::uint32_t>(member_counts(editor.graph()).size());
  for (const NodeGroup& group : groups) {
    WorkNode& into = editor.node(group.back());
    into.duration = time.value_or(merged_time(editor.graph(), group, ratio));
    into.size = merged_size(editor.graph(), group);
    into.delay = editor.node(group.front()).delay;
    for (const std::uint32_t id : group)
      into.priority = std::min(into.priority, editor.node(id).priority);
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
