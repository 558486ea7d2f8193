#include <algorithm>
#include <map>

#include "models/graph/edit/structure.hpp"

// Insert, remove, move and reorder: where nodes stand on their streams, and what waits for them.

namespace stepcast {

void insert_beside(const GraphEdit& edit, const std::vector<std::uint32_t>& nodes,
                   GraphEditor& editor) {
  const std::uint32_t name = editor.graph().names.number_of(edit.name);
  const std::uint32_t stream = edit.stream.empty() ? kNone : stream_of(edit.stream, editor.graph());
  std::vector<std::uint32_t> added(editor.size(), kNone);
  for (const std::uint32_t id : nodes) {
    WorkNode node = editor.node(id);
    node.name = name;
    node.kind = edit.kind.empty() ? node.kind : editor.graph().kinds.number_of(edit.kind);
    node.stream = stream == kNone ? node.stream : stream;
    node.meeting = kNone;
    node.team = kNone;
    node.communicates = false;
    node.free = false;
    node.inserted = true;
    node.duration = *edit.time;
    node.delay = {};
    node.size = {};
    if (edit.kind.empty() && editor.node(id).communicates)
      node.kind = editor.graph().kinds.number_of("other");
    added[id] = editor.add(node, id, edit.before);
  }
  for (WorkEdge& edge : editor.graph().edges)
    if (edit.before && added[edge.after] != kNone)
      edge.after = added[edge.after];
    else if (!edit.before && added[edge.before] != kNone)
      edge.before = added[edge.before];
  for (const std::uint32_t id : nodes)
    edit.before ? editor.edge(added[id], id) : editor.edge(id, added[id]);
}

void remove_nodes(const std::vector<std::uint32_t>& nodes, GraphEditor& editor) {
  for (const std::uint32_t id : nodes)
    if (editor.graph().planned && editor.node(id).meeting != kNone)
      editor.node(id).free = true;
    else
      editor.remove(id);
}

void move_beside(const GraphEdit& edit, const std::vector<std::uint32_t>& nodes,
                 GraphEditor& editor) {
  if (!edit.stream.empty()) {
    const std::uint32_t stream = stream_of(edit.stream, editor.graph());
    for (const std::uint32_t id : nodes)
      editor.node(id).stream = stream;
  }
  if (edit.beside.any.empty())
    return;
  WorkSelection beside;
  beside.name = edit.beside;
  const std::vector<bool> is_beside = selected(editor.graph(), beside);
  std::map<std::uint32_t, std::uint32_t> of_rank;
  for (std::uint32_t id = 0; id < is_beside.size(); ++id)
    if (is_beside[id]) {
      const auto [found, first] = of_rank.try_emplace(editor.node(id).rank, id);
      found->second = edit.before ? found->second : id;
    }
  for (const std::uint32_t id : nodes)
    if (const auto found = of_rank.find(editor.node(id).rank);
        found != of_rank.end() && found->second != id) {
      editor.place(id, found->second, edit.before);
      edit.before ? editor.edge(id, found->second) : editor.edge(found->second, id);
    }
}

void reorder(const std::vector<std::uint32_t>& nodes, SortKey key, bool descending,
             GraphEditor& editor) {
  const WorkGraph& graph = editor.graph();
  std::vector<std::uint32_t> sorted = nodes;
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    const WorkNode& left = graph.nodes[descending ? b : a];
    const WorkNode& right = graph.nodes[descending ? a : b];
    switch (key) {
      case SortKey::Layer:
        return left.layer < right.layer;
      case SortKey::Size:
        return left.size < right.size;
      case SortKey::Time:
        return left.duration < right.duration;
      case SortKey::Need:
        return false;  // See reorder_by_need().
      case SortKey::Name:
        return graph.names[left.name] < graph.names[right.name];
    }
    return false;
  };
  std::ranges::stable_sort(sorted, is_before);
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeGroup> lanes;
  for (const std::uint32_t id : nodes)
    lanes[{graph.nodes[id].rank, graph.nodes[id].stream}].push_back(id);
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeGroup> sorted_lanes;
  for (const std::uint32_t id : sorted)
    sorted_lanes[{graph.nodes[id].rank, graph.nodes[id].stream}].push_back(id);
  for (const auto& [lane, order] : sorted_lanes) {
    if (graph.stages.empty() && graph.nodes[order.front()].communicates) {
      editor.graph().streams[lane.second].in_order = false;
      for (std::size_t i = 0; i < order.size(); ++i)
        editor.node(order[i]).priority = static_cast<std::int32_t>(i);
    } else {
      editor.reseat(lanes[lane], order);
    }
  }
}

}  // namespace stepcast
