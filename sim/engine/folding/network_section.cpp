#include "sim/engine/folding/network_section.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "models/base/mix.hpp"
#include "sim/engine/folding/patterns.hpp"

// A collective of the whole world mostly looks the same from every node: what GPU i of a node sends
// to whom at which distance, and what it gets. So does a hierarchy or a star from every GPU of a
// node. Where that holds of all collectives of a plan, nodes (or the GPUs of nodes) make an
// equitable partition of links and flows: max-min rates of one part, together with the same rates
// of all others, leave every flow a bottleneck, and so are the max-min rates, of which there is one
// set only. Parts are compared by sums of hashes over what they send and get, in O(messages) for
// each collective, those that differ only in size once; a rooted one or unequal shares end the
// search at once.

namespace stepcast {
namespace {

/// What each part sends and gets, at one time.
class Traffic {
 public:
  explicit Traffic(std::uint32_t parts) : sent_(parts), received_(parts) {}

  void add(std::uint32_t from, std::uint32_t to, std::uint64_t what) {
    sent_[from] += mixed(1, what);
    received_[to] += mixed(2, what);
  }
  bool is_even() const { return are_equal(sent_) && are_equal(received_); }

 private:
  static bool are_equal(const std::vector<std::uint64_t>& sums) {
    return std::ranges::adjacent_find(sums, std::not_equal_to<>()) == sums.end();
  }

  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> received_;
};

std::uint64_t distance_of(const Cluster& cluster, const Message& message) {
  if (node_of(cluster, message.from) == node_of(cluster, message.to))
    return 0;
  return rack_of(cluster, message.from) == rack_of(cluster, message.to) ? 1 : 2;
}

bool are_units_alike(const std::vector<Message>& messages, const Cluster& cluster,
                     std::uint32_t nodes) {
  const std::uint32_t ranks = nodes * cluster.gpus_per_node;
  Traffic traffic(cluster.nodes / nodes);
  for (const Message& message : messages) {
    const std::uint64_t places = mixed(message.from % ranks, message.to % ranks);
    const std::uint64_t what = mixed(places, distance_of(cluster, message));
    traffic.add(message.from / ranks, message.to / ranks,
                mixed(what, std::bit_cast<std::uint64_t>(message.size.value)));
  }
  return traffic.is_even();
}

bool are_gpus_alike(const std::vector<Message>& messages, const Cluster& cluster) {
  const std::uint32_t gpus = cluster.gpus_per_node;
  Traffic traffic(gpus);
  for (const Message& message : messages) {
    const std::uint64_t nodes = mixed(message.from / gpus, message.to / gpus);
    traffic.add(message.from % gpus, message.to % gpus,
                mixed(nodes, std::bit_cast<std::uint64_t>(message.size.value)));
  }
  return traffic.is_even();
}

/// Whether each rank is of the same kind as the one `stands_for` names.
template <class StandsFor>
bool are_kinds_alike(std::span<const std::uint32_t> kinds, StandsFor stands_for) {
  for (Rank rank = 0; rank < kinds.size(); ++rank)
    if (kinds[rank] != kinds[stands_for(rank)])
      return false;
  return true;
}

}  // namespace

std::optional<NetworkSection> find_section(const Plan& plan, const Cluster& cluster,
                                           std::span<const std::uint32_t> kinds) {
  if (std::ranges::any_of(plan.teams, [](const Team& team) { return team.groups.size() > 1; }))
    return std::nullopt;
  const std::uint32_t unit = cluster.rack ? cluster.rack->nodes : 1;
  const std::uint32_t gpus = cluster.gpus_per_node;
  bool units_are_alike = cluster.nodes > unit && cluster.nodes % unit == 0 &&
                         are_kinds_alike(kinds, [&](Rank rank) { return rank % (unit * gpus); });
  bool gpus_are_alike =
      gpus > 1 && are_kinds_alike(kinds, [&](Rank rank) { return rank - rank % gpus; });
  for (const auto& [pattern, collective] : patterns_of(plan)) {
    if ((!units_are_alike && !gpus_are_alike) || !collective.shares.empty())
      return std::nullopt;
    const Group& group = plan.teams[std::get<0>(pattern)].groups.front();
    for (const Phase& phase : edge_flows_of(collective, group, cluster)) {
      units_are_alike = units_are_alike && are_units_alike(phase.messages, cluster, unit);
      gpus_are_alike = gpus_are_alike && are_gpus_alike(phase.messages, cluster);
    }
  }
  if (!units_are_alike && !gpus_are_alike)
    return std::nullopt;
  return NetworkSection{.nodes = units_are_alike ? unit : cluster.nodes,
                        .gpus = gpus_are_alike ? 1 : gpus};
}

}  // namespace stepcast
