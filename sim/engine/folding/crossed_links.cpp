#include "sim/engine/folding/crossed_links.hpp"

#include <algorithm>
#include <array>

#include "models/base/index.hpp"
#include "models/base/mix.hpp"
#include "models/graph/task.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kCrossing = std::uint64_t{4} << 60U;  // label of arcs

}  // namespace

void CrossedLinks::add(ColouredGraph& graph, std::uint32_t vertex, const Message& message) {
  cross(graph, vertex, Kind::Port, message.from, message.to);
  const std::uint32_t from = node_of(cluster_, message.from);
  const std::uint32_t to = node_of(cluster_, message.to);
  if (from == to)
    return;
  cross(graph, vertex, Kind::Nic, from, to);
  between_nodes_.emplace(from, to);
  if (rack_of(cluster_, message.from) != rack_of(cluster_, message.to))
    cross(graph, vertex, Kind::Uplink, rack_of(cluster_, message.from),
          rack_of(cluster_, message.to));
}

void CrossedLinks::cross(ColouredGraph& graph, std::uint32_t vertex, Kind kind, std::uint32_t from,
                         std::uint32_t to) {
  for (const bool inward : {false, true}) {
    const auto [known, is_new] = links_.try_emplace({kind, inward, inward ? to : from}, 0U);
    if (is_new)
      known->second = graph.add(mixed(static_cast<std::uint64_t>(kind) + 1, inward ? 1 : 0));
    graph.connect(vertex, known->second, kCrossing);
    graph.connect(known->second, vertex, kCrossing);
  }
}

// By the numbers of their links; all GPUs of a node must have the same.
std::vector<std::uint32_t> CrossedLinks::roles_of_nodes(
    const std::vector<std::uint32_t>& numbers) const {
  const auto number = [&](Kind kind, bool inward, std::uint32_t place) {
    const auto found = links_.find({kind, inward, place});
    return found == links_.end() ? kNone : numbers[found->second];
  };
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> known;
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < cluster_.nodes; ++node) {
    const Rank first = node * cluster_.gpus_per_node;
    for (Rank rank = first + 1; rank < first + cluster_.gpus_per_node; ++rank)
      for (const bool inward : {false, true})
        if (number(Kind::Port, inward, rank) != number(Kind::Port, inward, first))
          return {};
    const std::array<std::uint32_t, 4> key{
        number(Kind::Port, false, first), number(Kind::Port, true, first),
        number(Kind::Nic, false, node), number(Kind::Nic, true, node)};
    nodes.push_back(known.try_emplace(key, checked_id(known.size(), "nodes")).first->second);
  }
  return send_to_as_many(nodes) ? nodes : std::vector<std::uint32_t>{};
}

bool CrossedLinks::send_to_as_many(const std::vector<std::uint32_t>& roles) const {
  std::vector<std::uint32_t> count(roles.size());
  for (const std::uint32_t role : roles)
    ++count[role];
  return std::ranges::all_of(between_nodes_, [&](const auto& pair) {
    return count[roles[pair.first]] == count[roles[pair.second]];
  });
}

}  // namespace stepcast
