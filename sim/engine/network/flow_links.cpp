#include "sim/engine/network/flow_links.hpp"

#include <algorithm>
#include <limits>

#include "models/graph/task.hpp"
#include "sim/engine/take_slot.hpp"

// Max-min sharing gives a flow without company the bandwidth of its narrowest link, so nobody needs
// to be asked: its end is known at its start, and a heap of ends stands beside the queue's agenda.
// That takes .1 us a flow where SimGrid takes 2 to 3. A link knows its one user; a second one makes
// SimGrid take over with the clock as it stands and what is left of each flow, and when its last
// flow has arrived the queue's own clock goes on. Either all flows are here or all are there: no
// flow ever shares a link with one that the other side moves. After
// run_on_simgrid() all are there from the start.

namespace stepcast {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

FlowLinks::FlowLinks(const Cluster& cluster, EventQueue& queue, FlowListener& listener)
    : cluster_(cluster),
      queue_(queue),
      listener_(listener),
      links_(cluster),
      capacity_(links_.bandwidths()),
      user_(capacity_.size(), kNone),
      share_(cluster.ranks(), 1) {
  queue_.watch(this);
}

FlowLinks::~FlowLinks() {
  queue_.watch(nullptr);
}

void FlowLinks::run_on_simgrid(bool fold) {
  shared_ = std::make_unique<SharedFlows>(cluster_, links_, capacity_, queue_, listener_,
                                          FlowMoves{.fold = fold, .all = true});
}

void FlowLinks::start(const PortFlow& flow, std::uint32_t tag) {
  const bool is_theirs = shared_ && shared_->are_theirs();
  const LinkPath path = links_.path(flow.from, flow.to, flow.distance);
  if (!is_theirs && std::ranges::all_of(path, [&](LinkId link) { return user_[link] == kNone; }))
    return start_alone(flow, path, tag);
  if (!shared_)
    shared_ = std::make_unique<SharedFlows>(cluster_, links_, capacity_, queue_, listener_);
  if (!is_theirs)
    hand_over();
  shared_->start(flow, path, flow.size, tag);
}

void FlowLinks::start_alone(const PortFlow& flow, const LinkPath& path, std::uint32_t tag) {
  const std::uint32_t id = take_slot(lone_, idle_, "flows");
  lone_[id] = {.flow = flow,
               .path = path,
               .tag = tag,
               .sequence = sequence_++,
               .left = in_whole_units(flow.size).value,
               .since = queue_.now().value};
  for (const LinkId link : path)
    user_[link] = id;
  run_at_narrowest(id);
}

double FlowLinks::left_now(const Lone& lone) const {
  return std::max(0.0, lone.left - lone.rate * (queue_.now().value - lone.since));
}

void FlowLinks::run_at_narrowest(std::uint32_t id) {
  Lone& lone = lone_[id];
  double rate = kNever;
  for (const LinkId link : lone.path)
    rate = std::min(rate, capacity_[link]);
  if (rate == lone.rate)
    return;
  lone.left = left_now(lone);
  lone.since = queue_.now().value;
  lone.rate = rate;
  lone.end = lone.since + lone.left / rate;
  ends_.push_back({lone.end, lone.sequence, id});
  std::push_heap(ends_.begin(), ends_.end(), Later());
}

void FlowLinks::set_port(Rank rank, double share) {
  if (share_[rank] == share)
    return;
  share_[rank] = share;
  for (const LinkId link : links_.port_of(rank)) {
    capacity_[link] = links_.bandwidths()[link] * share;
    if (user_[link] != kNone)
      run_at_narrowest(user_[link]);
    if (shared_)
      shared_->capacity_has_changed(link);
  }
}

void FlowLinks::take_off_links(std::uint32_t id) {
  for (const LinkId link : lone_[id].path)
    user_[link] = kNone;
  lone_[id].end = kNever;
  idle_.push_back(id);
}

Seconds FlowLinks::next_end() {
  while (!ends_.empty() && ends_.front().time != lone_[ends_.front().lone].end)
    drop_first_end();  // of a flow that is over, or was given another rate
  return {ends_.empty() ? kNever : ends_.front().time};
}

void FlowLinks::drop_first_end() {
  std::pop_heap(ends_.begin(), ends_.end(), Later());
  ends_.pop_back();
}

void FlowLinks::end_before(Seconds time) {
  while (next_end() < time) {
    const std::uint32_t id = ends_.front().lone;
    drop_first_end();
    take_off_links(id);
    arrived_.push_back(lone_[id].tag);
  }
}

void FlowLinks::tell_of_ends() {
  for (const std::uint32_t tag : arrived_)
    listener_.flow_arrived(tag);
  arrived_.clear();
}

// In the order in which they began.
void FlowLinks::hand_over() {
  std::ranges::sort(ends_, {}, &End::sequence);
  for (const auto& [time, sequence, id] : ends_) {
    const Lone& lone = lone_[id];
    if (time != lone.end)
      continue;
    shared_->start(lone.flow, lone.path, Bytes{left_now(lone)}, lone.tag);
    take_off_links(id);
  }
  ends_.clear();
}

}  // namespace stepcast
