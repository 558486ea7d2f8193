#include "sim/engine/network/shared_flows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "models/base/mix.hpp"
#include "models/graph/task.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/take_slot.hpp"

// What is in flight stays an equitable partition until links of a class are told apart: new flows
// cross some of them, or some change their capacity. The flows that cross such a class are then
// taken apart, with those of other classes of links that this tears, and begin again with what each
// has left, sorted together with the new ones. Up to one in fifty is.
//
// A class of flows crosses all links of a class, so the hosts with the lowest numbers that send and
// receive have the first ports, NICs and uplinks of all classes that it crosses.

namespace stepcast {

SharedFlows::SharedFlows(const Cluster& cluster, const ClusterLinks& links,
                         const std::vector<double>& capacities, EventQueue& queue,
                         FlowListener& listener, FlowMoves moves)
    : links_(links),
      capacity_(capacities),
      queue_(queue),
      listener_(listener),
      simgrid_(simgrid_for(cluster)),
      platform_(simgrid_.platform()),
      moves_(moves),
      classes_(capacities.size()),
      class_of_(capacities.size(), kNone),
      users_(capacities.size()) {
  for (LinkId link = 0; link < capacities.size(); ++link)
    colour_.push_back(idle_colour(link));
  if (moves_.all)
    queue_.enter(simgrid_);
}

std::uint64_t SharedFlows::idle_colour(LinkId link) const {
  return mixed(links_.kind(link), std::bit_cast<std::uint64_t>(capacity_[link]));
}

void SharedFlows::start(const PortFlow& flow, const LinkPath& path, Bytes left, std::uint32_t tag) {
  if (!are_theirs())
    queue_.enter(simgrid_);
  starting_.push_back({flow, path, in_whole_units(left), tag});
  decide_later();
  ++folding_use().met;
}

void SharedFlows::capacity_has_changed(LinkId link) {
  if (class_of_[link] == kNone) {
    colour_[link] = idle_colour(link);
    return;
  }
  changed_.push_back(link);
  decide_later();
}

void SharedFlows::decide_later() {
  if (!std::exchange(is_decided_later_, true))
    queue_.late(queue_.now(), [this] { decide(); });
}

void SharedFlows::decide() {
  is_decided_later_ = false;
  carry_changes();
  do
    classes_.find(starting_, colour_, moves_.fold);
  while (take_apart_where_torn(classes_.links(),
                               [this](LinkId link) { return classes_.traffic(link); }));
  for (std::size_t id = 0; id < classes_.count(); ++id)
    begin(classes_.at(id));
  starting_.clear();
}

void SharedFlows::carry_changes() {
  std::ranges::sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  take_apart_where_torn(
      changed_, [this](LinkId link) { return std::bit_cast<std::uint64_t>(capacity_[link]); });
  for (const LinkId link : changed_) {
    if (class_of_[link] == kNone)
      colour_[link] = idle_colour(link);
    else if (link_classes_[class_of_[link]].first == link)
      carry(link_classes_[class_of_[link]], true);
  }
  changed_.clear();
}

void SharedFlows::carry(const LinkClass& links, bool in_use) {
  const double share = capacity_[links.first] / links_.bandwidths()[links.first];
  platform_.carry(links.first, links.size * share, in_use);
}

// A class stays whole if all of its links are among these and have one mark.
template <class MarkOf>
bool SharedFlows::take_apart_where_torn(std::span<const LinkId> links, MarkOf mark_of) {
  met_.clear();
  for (const LinkId link : links) {
    if (class_of_[link] == kNone)
      continue;
    LinkClass& known = link_classes_[class_of_[link]];
    if (known.size == 1)
      continue;
    if (known.met++ == 0) {
      known.mark = mark_of(link);
      met_.push_back(class_of_[link]);
    }
    known.is_torn = known.is_torn || known.mark != mark_of(link);
  }
  bool any = false;
  for (const std::uint32_t id : met_) {
    LinkClass& known = link_classes_[id];
    known.is_torn = known.is_torn || known.met != known.size;
    known.met = 0;
    any = any || known.is_torn;
  }
  if (any)
    take_apart_torn();
  return any;
}

void SharedFlows::take_apart_torn() {
  for (bool again = true; std::exchange(again, false);)
    for (FlowClass& it : flows_) {
      if (it.flows.size() < 2 || std::ranges::none_of(it.flows.front().path, [this](LinkId link) {
            return link_classes_[class_of_[link]].is_torn;
          }))
        continue;
      take_apart(it);
      again = true;
    }
}

void SharedFlows::take_apart(FlowClass& whole) {
  const Bytes left = simgrid_.stop_flows(*whole.moving);
  ++folding_use().parted;
  for (const LinkId link : whole.flows.front().path)
    link_classes_[class_of_[link]].is_torn = link_classes_[class_of_[link]].size > 1;
  leave_links(whole.flows);
  for (const SharedFlow& flow : whole.flows)
    starting_.push_back({flow.flow, flow.path, in_whole_units(left), flow.tag});
  whole.flows.clear();
}

void SharedFlows::begin(std::span<const std::uint32_t> flows) {
  const std::uint32_t id = take_slot(flows_, idle_flows_, "flows");
  FlowClass& it = flows_[id];
  PortFlow all = starting_[flows.front()].flow;
  for (const std::uint32_t i : flows) {
    const SharedFlow& flow = starting_[i];
    it.flows.push_back(flow);
    all.from = std::min(all.from, flow.flow.from);
    all.to = std::min(all.to, flow.flow.to);
  }
  use_links(it.flows);
  ++folding_use().moved;
  ++in_flight_;
  it.moving = simgrid_.start_flows(platform_.host(all.from, all.distance),
                                   platform_.host(all.to, all.distance), it.flows.front().left,
                                   static_cast<std::uint32_t>(flows.size()), *this, id);
}

void SharedFlows::use_links(std::span<const SharedFlow> flows) {
  const LinkPath& path = flows.front().path;
  for (std::uint32_t hop = 0; hop < path.count; ++hop) {
    std::uint32_t id = class_of_[path.links[hop]];
    if (id == kNone)
      id = new_link_class(flows, hop);
    ++link_classes_[id].users;
    for (const SharedFlow& flow : flows)
      ++users_[flow.path.links[hop]];
  }
}

std::uint32_t SharedFlows::new_link_class(std::span<const SharedFlow> flows, std::uint32_t hop) {
  const std::uint32_t id = take_slot(link_classes_, idle_link_classes_, "classes of links");
  LinkClass made{.first = flows.front().path.links[hop]};
  const std::uint64_t colour = mixed(6, next_colour_++);
  for (const SharedFlow& flow : flows) {
    const LinkId link = flow.path.links[hop];
    if (std::exchange(class_of_[link], id) == id)
      continue;
    colour_[link] = colour;
    made.first = std::min(made.first, link);
    ++made.size;
  }
  link_classes_[id] = made;
  carry(made, false);
  return id;
}

void SharedFlows::leave_links(std::span<const SharedFlow> flows) {
  for (const LinkId link : flows.front().path)
    if (--link_classes_[class_of_[link]].users == 0)
      idle_link_classes_.push_back(class_of_[link]);
  for (const SharedFlow& flow : flows)
    for (const LinkId link : flow.path)
      if (--users_[link] == 0) {
        class_of_[link] = kNone;
        colour_[link] = idle_colour(link);
      }
}

void SharedFlows::flow_arrived(std::uint32_t id) {
  arrived_.swap(flows_[id].flows);
  idle_flows_.push_back(id);
  if (!arrived_.empty())
    leave_links(arrived_);
  --in_flight_;
  if (!are_theirs())
    queue_.leave();
  for (const SharedFlow& flow : arrived_)
    listener_.flow_arrived(flow.tag);
  arrived_.clear();
}

}  // namespace stepcast
