#include "sim/engine/simgrid/star_platform.hpp"

#include <string>

#include <simgrid/s4u.hpp>

#include "sim/engine/network/simgrid.hpp"

namespace stepcast {
namespace {

namespace sg4 = simgrid::s4u;
using Up = std::vector<sg4::LinkInRoute>;

sg4::LinkInRoute up(sg4::SplitDuplexLink* link) {
  return {link, sg4::LinkInRoute::Direction::UP};
}

sg4::SplitDuplexLink* duplex(sg4::NetZone* zone, const std::string& name,
                             BytesPerSecond bandwidth) {
  return zone->create_split_duplex_link(name, bandwidth.value * kUnitsPerByte);
}

sg4::Host* endpoint(sg4::NetZone* zone, const std::string& name, const Up& route) {
  auto* host = zone->create_host(name, 1.0);
  zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, route, true);
  return host;
}

// From 4.0 on there is a root, and every other zone needs a parent; before, the first zone is the
// root.
template <class Zone>
Zone* star_zone(const sg4::Engine& engine) {
  if constexpr (requires(Zone * root) { root->add_netzone_star("cluster"); }) {
    Zone* root = engine.get_netzone_root();
    return root->add_netzone_star("cluster");
  } else {
    return sg4::create_star_zone("cluster");
  }
}

}  // namespace

StarPlatform::StarPlatform(const Cluster& cluster) : Platform(cluster) {
  auto* zone = star_zone<sg4::NetZone>(*sg4::Engine::get_instance());
  std::vector<sg4::SplitDuplexLink*> ports;
  std::vector<sg4::SplitDuplexLink*> nics;
  std::vector<sg4::SplitDuplexLink*> uplinks;
  for (Rank rank = 0; rank < cluster.ranks(); ++rank) {
    const std::string id = std::to_string(rank);
    if (cluster.rack && rank % (cluster.rack->nodes * cluster.gpus_per_node) == 0)
      uplinks.push_back(duplex(zone, "rack" + id, uplink_bandwidth(cluster)));
    if (rank % cluster.gpus_per_node == 0)
      nics.push_back(duplex(zone, "nic" + id, node_link(cluster).bandwidth));
    ports.push_back(duplex(zone, "port" + id, cluster.intra_node.bandwidth));
    near_.push_back(endpoint(zone, "near" + id, {up(ports.back())}));
    far_.push_back(endpoint(zone, "far" + id, {up(ports.back()), up(nics.back())}));
    if (cluster.rack)
      farthest_.push_back(
          endpoint(zone, "farthest" + id, {up(ports.back()), up(nics.back()), up(uplinks.back())}));
  }
  for (const auto& kind : {ports, nics, uplinks}) {
    for (sg4::SplitDuplexLink* link : kind)
      links_.push_back(link->get_link_up());
    for (sg4::SplitDuplexLink* link : kind)
      links_.push_back(link->get_link_down());
  }
  zone->seal();
  times_.assign(links_.size(), 1);
}

// A flow never gets faster than its links were when it began, so that their bandwidth must stay;
// how much of it is shared may change.
void StarPlatform::carry(LinkId id, double times, bool in_use) const {
  if (times_[id] == times)
    return;
  times_[id] = times;
  sg4::Link* link = links_[id];
  if (link->get_sharing_policy() != sg4::Link::SharingPolicy::NONLINEAR)
    link->set_sharing_policy(sg4::Link::SharingPolicy::NONLINEAR,
                             [this, id](double capacity, int) { return capacity * times_[id]; });
  if (in_use)
    link->set_bandwidth(link->get_bandwidth());  // SimGrid solves the link's flows anew.
}

}  // namespace stepcast
