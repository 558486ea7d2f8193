#include "models/collective/links.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {
namespace {

thread_local std::vector<std::unique_ptr<std::vector<double>>> spare_zeros;

std::uint32_t racks_of(const Cluster& cluster) {
  return cluster.rack ? (cluster.nodes + cluster.rack->nodes - 1) / cluster.rack->nodes : 0;
}

}  // namespace

Link link_of(const Cluster& cluster, Crossing crossing) {
  Link link = cluster.intra_node;
  if (crossing.on_nic == 0)
    return link;
  link.startup = cluster.nic.startup;
  link.bandwidth = std::min(link.bandwidth, node_link(cluster).bandwidth / crossing.on_nic);
  if (crossing.on_uplink == 0)
    return link;
  link.startup += cluster.rack->startup;
  link.bandwidth = std::min(link.bandwidth, uplink_bandwidth(cluster) / crossing.on_uplink);
  return link;
}

std::vector<Message> crossing_or_all(std::vector<Message> messages, const Cluster& cluster) {
  const auto stays = [&](const Message& message) {
    return node_of(cluster, message.from) == node_of(cluster, message.to);
  };
  if (!std::ranges::all_of(messages, stays))
    std::erase_if(messages, stays);
  return messages;
}

Phase phase_of(std::vector<Message> messages, Seconds cost, Seconds transfer) {
  constexpr double kRounding = 1e-12;
  const Seconds startup = cost - transfer;
  return {startup > cost * kRounding ? startup : Seconds{}, std::move(messages)};
}

LinkLoads::LinkLoads(const Cluster& cluster)
    : cluster_(cluster),
      first_nic_(2 * cluster.ranks()),
      first_uplink_(first_nic_ + 2 * cluster.nodes),
      link_count_(first_uplink_ + 2 * racks_of(cluster)),
      loads_(zeros(link_count_)),
      load_(*loads_) {}

void LinkLoads::GiveBack::operator()(Loads* loads) const {
  spare_zeros.emplace_back(loads);
}

std::unique_ptr<LinkLoads::Loads, LinkLoads::GiveBack> LinkLoads::zeros(std::size_t count) {
  if (spare_zeros.empty())
    spare_zeros.push_back(std::make_unique<Loads>());
  std::unique_ptr<Loads, GiveBack> loads(spare_zeros.back().release());
  spare_zeros.pop_back();
  loads->resize(std::max(loads->size(), count));
  return loads;
}

LinkLoads::Path LinkLoads::path_of(const Message& message) const {
  Path path;
  path.add(message.from);
  path.add(cluster_.ranks() + message.to);
  const std::uint32_t from = node_of(cluster_, message.from);
  const std::uint32_t to = node_of(cluster_, message.to);
  if (from == to)
    return path;
  path.add(first_nic_ + from);
  path.add(first_nic_ + cluster_.nodes + to);
  if (!cluster_.rack || from / cluster_.rack->nodes == to / cluster_.rack->nodes)
    return path;
  path.add(first_uplink_ + from / cluster_.rack->nodes);
  path.add(first_uplink_ + racks_of(cluster_) + to / cluster_.rack->nodes);
  return path;
}

BytesPerSecond LinkLoads::bandwidth_of(std::uint32_t link) const {
  if (link < first_nic_)
    return cluster_.intra_node.bandwidth;
  return link < first_uplink_ ? node_link(cluster_).bandwidth : uplink_bandwidth(cluster_);
}

Link LinkLoads::shared_link_of(const Message& message) const {
  const Path path = path_of(message);
  Link link{cluster_.intra_node.bandwidth, startup_of(cluster_, message.from, message.to)};
  for (std::uint32_t i = 0; i < path.count; ++i)
    link.bandwidth = std::min(link.bandwidth, bandwidth_of(path.links[i]) / load_[path.links[i]]);
  return link;
}

void LinkLoads::count(std::span<const Message> messages) {
  for (const Message& message : messages) {
    const Path path = path_of(message);
    for (std::uint32_t i = 0; i < path.count; ++i)
      load_[path.links[i]] += 1;
  }
}

void LinkLoads::clear(std::span<const Message> messages) {
  for (const Message& message : messages) {
    const Path path = path_of(message);
    for (std::uint32_t i = 0; i < path.count; ++i)
      load_[path.links[i]] = 0;
  }
}

std::vector<Link> LinkLoads::shared_links_of(std::span<const Message> messages) {
  count(messages);
  std::vector<Link> links;
  links.reserve(messages.size());
  for (const Message& message : messages)
    links.push_back(shared_link_of(message));
  clear(messages);
  return links;
}

Seconds LinkLoads::round_time(std::span<const Message> messages) {
  count(messages);
  Seconds longest;
  for (const Message& message : messages)
    longest = std::max(longest, time_of(shared_link_of(message), message.size));
  clear(messages);
  return longest;
}

Seconds LinkLoads::transfer_time(std::span<const Message> messages) {
  Seconds longest;
  for (const Message& message : messages) {
    const Path path = path_of(message);
    for (std::uint32_t i = 0; i < path.count; ++i) {
      const std::uint32_t link = path.links[i];
      load_[link] += message.size.value;
      longest = std::max(longest, Bytes{load_[link]} / bandwidth_of(link));
    }
  }
  clear(messages);
  return longest;
}

std::vector<LinkTime> LinkLoads::link_times(std::span<const Phase> phases) {
  std::vector<std::uint32_t> crossed;
  crossed.reserve(Path{}.links.size());
  for (const Phase& phase : phases)
    for (const Message& message : phase.messages) {
      const Path path = path_of(message);
      for (std::uint32_t i = 0; i < path.count; ++i) {
        const std::uint32_t link = path.links[i];
        if (load_[link] == 0)
          crossed.push_back(link);
        load_[link] += message.size.value;
      }
    }
  std::ranges::sort(crossed);
  std::vector<LinkTime> times;
  times.reserve(crossed.size());
  for (const std::uint32_t link : crossed)
    if (const Bytes bytes{std::exchange(load_[link], 0)}; bytes > Bytes{})
      times.push_back({link, bytes / bandwidth_of(link)});
  return times;
}

}  // namespace stepcast
