#include "sim/timeline/links.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "models/network/adapters.hpp"
#include "models/schedule/period.hpp"

namespace stepcast {

namespace {

/// All collectives of a plan that move their bytes the same way, as one of the summed size: the
/// bytes on every edge are proportional to the size.
struct Traffic {
  Collective collective;
  TeamId team = 0;
};

std::vector<Traffic> traffic_of(const Plan& plan) {
  const std::vector<std::uint32_t> times = times_of_tasks(plan);
  std::vector<Traffic> result;
  std::vector<std::size_t> recent(plan.teams.size());  // of the team's
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.kind != TaskKind::Communication)
      continue;
    const Collective& collective = plan.collectives[task.collective].collective;
    const Bytes size = collective.size * times[id];
    const auto is_same = [&](const Traffic& known) {
      return known.team == task.team && known.collective.kind == collective.kind &&
             known.collective.algorithm == collective.algorithm &&
             known.collective.root == collective.root &&
             known.collective.shares == collective.shares;
    };
    std::size_t& same = recent[task.team];
    if (same >= result.size() || !is_same(result[same]))
      same = static_cast<std::size_t>(std::ranges::find_if(result, is_same) - result.begin());
    if (same == result.size()) {
      result.push_back({collective, task.team});
      result.back().collective.size = {};
    }
    result[same].collective.size += size;
  }
  return result;
}

/// Bytes in each direction of the links of one level.
struct Level {
  std::string name;   // "NIC"
  std::string place;  // "node"; empty: numbered by itself
  BytesPerSecond bandwidth{};
  std::vector<Bytes> out;
  std::vector<Bytes> in;
};

Level level(std::string name, std::string place, BytesPerSecond bandwidth, std::size_t count) {
  return {std::move(name), std::move(place), bandwidth, std::vector<Bytes>(count),
          std::vector<Bytes>(count)};
}

class LinkCounter {
 public:
  explicit LinkCounter(const Cluster& cluster) : cluster_(cluster) {
    ports_ = level("GPU port", "rank", cluster.intra_node.bandwidth, cluster.ranks());
    if (cluster.nodes > 1)
      nics_ = level(cluster.nics > 1 ? adapters_of(cluster) + " NIC" : "NIC", "node",
                    node_link(cluster).bandwidth, cluster.nodes);
    if (cluster.nodes > 1 && cluster.rack) {
      const std::uint32_t racks = rack_of(cluster, cluster.ranks() - 1) + 1;
      uplinks_ = level("rack uplink", "rack", uplink_bandwidth(cluster), racks > 1 ? racks : 0);
    }
  }

  void add(const Collective& collective, const Group& group) {
    if (group.size() < 2)
      return;
    const Bytes sent = sent_per_rank(collective, group.size());
    for (const Rank rank : group.ranks) {
      ports_.out[rank] += sent;
      ports_.in[rank] += sent;
    }
    if (cluster_.nodes == 1)
      return;
    for (const Phase& phase : closed_form_flows_of(collective, group, cluster_))
      for (const Message& message : phase.messages)
        add(message);
  }

  std::vector<Level> take() {
    std::vector<Level> levels;
    for (Level* each : {&uplinks_, &nics_, &ports_})
      if (!each->out.empty())
        levels.push_back(std::move(*each));
    return levels;
  }

 private:
  void add(const Message& message) {
    const std::uint32_t from = node_of(cluster_, message.from);
    const std::uint32_t to = node_of(cluster_, message.to);
    if (from == to)
      return;
    nics_.out[from] += message.size;
    nics_.in[to] += message.size;
    const std::uint32_t from_rack = rack_of(cluster_, message.from);
    const std::uint32_t to_rack = rack_of(cluster_, message.to);
    if (from_rack == to_rack || uplinks_.out.empty())
      return;
    uplinks_.out[from_rack] += message.size;
    uplinks_.in[to_rack] += message.size;
  }

  const Cluster& cluster_;
  Level ports_;
  Level nics_;
  Level uplinks_;
};

bool all_alike(std::span<const Bytes> loads, Bytes as) {
  return std::ranges::all_of(
      loads, [as](Bytes load) { return load <= as * (1 + 1e-9) && load >= as * (1 - 1e-9); });
}

LinkLoad load_of(std::string name, std::size_t alike, Bytes bytes, const Level& level,
                 Seconds iteration) {
  const double capacity = level.bandwidth.value * iteration.value;
  return {.name = std::move(name),
          .alike = static_cast<std::uint32_t>(alike),
          .bytes = bytes,
          .bandwidth = level.bandwidth,
          .utilisation = capacity > 0 ? bytes.value / capacity : 0};
}

/// The links of a level that carry most, in either direction.
void add_busiest(std::vector<LinkLoad>& loads, const Level& level, Seconds iteration) {
  constexpr std::size_t kMost = 3;
  const std::size_t count = level.out.size();
  std::vector<std::uint32_t> order(2 * count);  // i: out of link i; count + i: into link i
  std::iota(order.begin(), order.end(), 0U);
  const auto bytes = [&](std::uint32_t i) {
    return i < count ? level.out[i] : level.in[i - count];
  };
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, order.size()));
  std::ranges::partial_sort(order, last, [&](std::uint32_t a, std::uint32_t b) {
    return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b;
  });
  for (auto it = order.begin(); it != last; ++it)
    loads.push_back(load_of(fmt::format("{} of {} {}, {}", level.name, level.place, *it % count,
                                        *it < count ? "out" : "in"),
                            1, bytes(*it), level, iteration));
}

void add_level(std::vector<LinkLoad>& loads, const Level& level, Seconds iteration) {
  const std::size_t count = level.out.size();
  const Bytes first = level.out[0];
  if (!all_alike(level.out, first) || !all_alike(level.in, first))
    return add_busiest(loads, level, iteration);
  const std::string name =
      count == 1 ? level.name : fmt::format("every {} ({} alike)", level.name, count);
  loads.push_back(load_of(name, count, first, level, iteration));
}

}  // namespace

std::vector<LinkLoad> link_loads_of(const Plan& plan, const Cluster& cluster, Seconds iteration) {
  LinkCounter counter(cluster);
  for (const Traffic& traffic : traffic_of(plan))
    for (const Group& group : plan.teams[traffic.team].groups)
      counter.add(traffic.collective, group);
  std::vector<LinkLoad> loads;
  for (const Level& each : counter.take())
    add_level(loads, each, iteration);
  std::ranges::stable_sort(loads, std::ranges::greater{}, &LinkLoad::utilisation);
  return loads;
}

Bytes sent_per_gpu(const Plan& plan, const Cluster& cluster) {
  Bytes sum;
  for (const Traffic& traffic : traffic_of(plan)) {
    const Team& team = plan.teams[traffic.team];
    if (team.group_size() > 1)
      sum +=
          sent_per_rank(traffic.collective, team.group_size()) * static_cast<double>(team.ranks());
  }
  return sum / cluster.ranks();
}

}  // namespace stepcast
