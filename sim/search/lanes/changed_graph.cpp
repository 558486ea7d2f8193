#include "sim/search/lanes/changed_graph.hpp"

#include <algorithm>

namespace stepcast {

ChangedGraph::ChangedGraph(const WorkGraph& graph)
    : graph_(graph),
      followers_(graph.nodes.size(),
                 [&](auto add) {
                   for (const WorkEdge& edge : graph.edges)
                     if (edge.later == 0)
                       add(edge.before, edge.after);
                 }),
      earlier_(graph.nodes.size(),
               [&](auto add) {
                 for (const WorkEdge& edge : graph.edges)
                   if (edge.later == 0)
                     add(edge.after, edge.before);
               }),
      members_(members_of_meetings(graph)),
      before_(nodes_before(graph)),
      behind_(graph.nodes.size(), kNone),
      became_at_(graph.nodes.size(), kNone),
      info_at_(graph.nodes.size(), kNone) {
  for (std::uint32_t id = 0; id < before_.size(); ++id)
    if (before_[id] != kNone)
      behind_[before_[id]] = id;
}

std::uint32_t ChangedGraph::meetings() const {
  return static_cast<std::uint32_t>(members_.size() + new_members_.size());
}

bool ChangedGraph::change(const LaneChange& change, const TransferRatio& ratio) {
  named_ = change.cut;
  for (const NodeGroup& group : change.fused)
    named_.insert(named_.end(), group.begin(), group.end());
  Ids sorted = named_;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    named_.clear();
    return false;
  }
  for (const NodeGroup& group : change.fused)
    fuse(group, ratio);
  for (const std::uint32_t id : change.cut)
    cut(id, change.parts, ratio);
  return true;
}

void ChangedGraph::fuse(const NodeGroup& group, const TransferRatio& ratio) {
  const std::uint32_t into = group.back();
  const WorkNode node = merged_node(graph_, group, std::nullopt, ratio);
  for (const std::uint32_t id : group) {
    became_at_[id] = static_cast<std::uint32_t>(became_.size());
    if (id != into)
      take_from_stream(id);
  }
  became_.push_back({into});
  set_info(into,
           {.from = group,
            .meeting = node.meeting == kNone ? kNone : joined(meetings_of(graph_, group), into),
            .duration = node.duration,
            .delay = node.delay});
}

void ChangedGraph::cut(std::uint32_t id, std::uint32_t parts, const TransferRatio& ratio) {
  if (parts < 2)
    return;
  const WorkNode piece = piece_of(graph_, id, parts, ratio);
  became_at_[id] = static_cast<std::uint32_t>(became_.size());
  Ids pieces{id};
  for (std::uint32_t i = 1; i < parts; ++i)
    pieces.push_back(add_behind(pieces.back(), graph_.streams[piece.stream].in_order));
  for (std::uint32_t i = 0; i < parts; ++i)
    set_info(pieces[i],
             {.from = {id},
              .piece = i,
              .pieces = parts,
              .meeting = piece.meeting == kNone || i == 0 ? piece.meeting
                                                          : joined({piece.meeting, i}, pieces[i]),
              .duration = piece.duration,
              .delay = i == 0 ? piece.delay : Seconds{}});
  became_.push_back(std::move(pieces));
}

std::uint32_t ChangedGraph::joined(const std::vector<std::uint32_t>& meetings, std::uint32_t id) {
  const auto number = static_cast<std::uint32_t>(new_members_.size());
  const auto [found, is_new] = meeting_of_.try_emplace(meetings, number);
  if (is_new)
    new_members_.emplace_back();
  new_members_[found->second].push_back(id);
  return static_cast<std::uint32_t>(members_.size()) + found->second;
}

void ChangedGraph::set_info(std::uint32_t id, Info info) {
  info_at_[id] = static_cast<std::uint32_t>(infos_.size());
  infos_.push_back(std::move(info));
  touched_.push_back(id);
}

void ChangedGraph::take_from_stream(std::uint32_t id) {
  if (before_[id] != kNone)
    behind_[before_[id]] = behind_[id];
  if (behind_[id] != kNone) {
    before_[behind_[id]] = before_[id];
    touched_.push_back(behind_[id]);
  }
  taken_.push_back(id);
}

std::uint32_t ChangedGraph::add_behind(std::uint32_t id, bool in_order) {
  const std::uint32_t added = size();
  info_at_.push_back(kNone);
  before_.push_back(in_order ? id : kNone);
  behind_.push_back(in_order ? behind_[id] : kNone);
  if (!in_order)
    return added;
  if (behind_[id] != kNone)
    before_[behind_[id]] = added;
  behind_[id] = added;
  return added;
}

void ChangedGraph::take_back() {
  while (info_at_.size() > graph_.nodes.size()) {
    const std::uint32_t before = before_.back();
    const std::uint32_t behind = behind_.back();
    if (before != kNone)
      behind_[before] = behind;
    if (behind != kNone)
      before_[behind] = before;
    info_at_.pop_back();
    before_.pop_back();
    behind_.pop_back();
  }
  for (std::size_t i = taken_.size(); i-- > 0;) {
    const std::uint32_t id = taken_[i];
    if (before_[id] != kNone)
      behind_[before_[id]] = id;
    if (behind_[id] != kNone)
      before_[behind_[id]] = id;
  }
  for (const std::uint32_t id : named_)
    became_at_[id] = info_at_[id] = kNone;
  became_.clear();
  infos_.clear();
  meeting_of_.clear();
  new_members_.clear();
  named_.clear();
  taken_.clear();
  touched_.clear();
}

}  // namespace stepcast
