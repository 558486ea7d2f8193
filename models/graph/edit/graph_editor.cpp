#include "models/graph/edit/graph_editor.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "models/base/index.hpp"

namespace stepcast {

GraphEditor::GraphEditor(WorkGraph graph)
    : graph_(std::move(graph)),
      first_added_(size()),
      place_(graph_.nodes.size()),
      gone_(graph_.nodes.size()),
      into_(graph_.nodes.size(), kNone) {
  std::iota(place_.begin(), place_.end(), 0.0);
}

std::uint32_t GraphEditor::add(const WorkNode& node, std::uint32_t beside, bool before) {
  const std::uint32_t id = checked_id(graph_.nodes.size(), "nodes");
  graph_.nodes.push_back(node);
  gone_.push_back(false);
  into_.push_back(kNone);
  place_.push_back(0);
  place(id, beside, before);
  return id;
}

void GraphEditor::place(std::uint32_t id, std::uint32_t beside, bool before) {
  place_[id] = place_[beside] + (before ? -0.5 : 0.5);
}

void GraphEditor::reseat(const std::vector<std::uint32_t>& old_order,
                         const std::vector<std::uint32_t>& new_order) {
  std::vector<double> seats;
  for (const std::uint32_t id : old_order)
    seats.push_back(place_[id]);
  for (std::size_t i = 0; i < seats.size(); ++i)
    place_[new_order[i]] = seats[i];
}

void GraphEditor::remove(std::uint32_t id) {
  gone_[id] = true;
  any_removed_ = true;
}

void GraphEditor::put_into(std::uint32_t id, std::uint32_t into) {
  gone_[id] = true;
  into_[id] = into;
}

void GraphEditor::redirect() {
  const auto end_of = [&](std::uint32_t id) {
    while (into_[id] != kNone)
      id = into_[id];
    return id;
  };
  for (WorkEdge& edge : graph_.edges)
    edge = {end_of(edge.before), end_of(edge.after), edge.later};
}

/// Each removed node hands what it waits for on to what waits for it, in order of their places, so
/// that rows of removed nodes hand on all that is before them.
void GraphEditor::bypass_removed() {
  std::vector<std::vector<Earlier>> waits(graph_.nodes.size());
  for (const WorkEdge& edge : graph_.edges)
    if (gone_[edge.after])
      waits[edge.after].push_back({edge.before, edge.later});
  std::vector<std::uint32_t> order(graph_.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t id) { return place_[id]; });
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;
  for (const std::uint32_t id : order) {
    const WorkNode& node = graph_.nodes[id];
    const auto [before, first] = last.try_emplace({node.rank, node.stream}, id);
    const bool ordered = !first && graph_.streams[node.stream].in_order;
    if (ordered && gone_[id])
      waits[id].push_back({before->second, 0});
    else if (ordered && gone_[before->second])
      graph_.edges.push_back({before->second, id, 0});
    before->second = id;
  }
  std::vector<WorkEdge> edges;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  for (const WorkEdge& edge : graph_.edges) {
    if (gone_[edge.after])
      continue;
    std::vector<Earlier> open{{edge.before, edge.later}};
    std::set<std::uint32_t> passed;
    while (!open.empty()) {
      const auto [node, later] = open.back();
      open.pop_back();
      if (!gone_[node]) {
        if (gone_[edge.before] ? seen.emplace(node, edge.after, later).second : true)
          edges.push_back({node, edge.after, later});
      } else if (passed.insert(node).second) {
        for (const Earlier& earlier : waits[node])
          open.push_back({earlier.node, later + earlier.later});
      }
    }
  }
  graph_.edges = std::move(edges);
}

/// Those that it began with mostly stand as they are numbered, and few were added.
std::vector<std::uint32_t> GraphEditor::nodes_in_order() const {
  std::vector<std::uint32_t> order;
  order.reserve(gone_.size());
  for (std::uint32_t id = 0; id < gone_.size(); ++id)
    if (!gone_[id])
      order.push_back(id);
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; };
  const auto put_in_order = [&](auto first, auto last) {
    if (!std::is_sorted(first, last, is_before))
      std::stable_sort(first, last, is_before);
  };
  const auto added = std::ranges::lower_bound(order, first_added_);
  put_in_order(order.begin(), added);
  put_in_order(added, order.end());
  std::inplace_merge(order.begin(), added, order.end(), is_before);
  return order;
}

void GraphEditor::renumber() {
  const std::vector<std::uint32_t> order = nodes_in_order();
  std::vector<std::uint32_t> number(gone_.size(), kNone);
  std::vector<WorkNode> nodes;
  nodes.reserve(order.size());
  for (const std::uint32_t id : order) {
    number[id] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(graph_.nodes[id]);
  }
  std::size_t kept = 0;
  for (const WorkEdge& edge : graph_.edges)
    if (number[edge.before] != kNone && number[edge.after] != kNone &&
        (edge.before != edge.after || edge.later > 0))
      graph_.edges[kept++] = {number[edge.before], number[edge.after], edge.later};
  graph_.edges.resize(kept);
  graph_.nodes = std::move(nodes);
}

WorkGraph GraphEditor::finish() && {
  redirect();
  if (any_removed_)
    bypass_removed();
  renumber();
  return std::move(graph_);
}

}  // namespace stepcast
