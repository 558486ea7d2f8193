#include "sim/engine/network/fair_links.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/index.hpp"

// Two events a message, its begin after the start-up and its end, on a heap of our own behind one
// event of the queue: .1 us each. A message that meets nobody costs nothing else. Where some meet,
// all that are joined to them through shared links get new rates by progressive filling, once for
// all that happens at an instant: rounds x messages, and as many rounds as there are rates.

namespace stepcast {
namespace {

constexpr std::uint32_t kBegins = 0;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

FairLinks::FairLinks(const Cluster& cluster, EventQueue& queue)
    : queue_(queue),
      first_nic_(2 * cluster.ranks()),
      first_uplink_(first_nic_ + 2 * cluster.nodes),
      nodes_(cluster.nodes),
      racks_(cluster.rack ? (cluster.nodes + cluster.rack->nodes - 1) / cluster.rack->nodes : 0),
      armed_for_(kNever) {
  for (Rank rank = 0; rank < cluster.ranks(); ++rank)
    node_of_rank_.push_back(node_of(cluster, rank));
  for (std::uint32_t node = 0; node < nodes_; ++node)
    rack_of_node_.push_back(rack_of(cluster, node * cluster.gpus_per_node));
  bandwidth_.assign(first_uplink_ + 2 * racks_, cluster.intra_node.bandwidth.value);
  std::fill(bandwidth_.begin() + first_nic_, bandwidth_.end(), node_link(cluster).bandwidth.value);
  if (cluster.rack)
    std::fill(bandwidth_.begin() + first_uplink_, bandwidth_.end(),
              uplink_bandwidth(cluster).value);
  capacity_ = bandwidth_;
  users_.resize(bandwidth_.size());
  is_met_.assign(bandwidth_.size(), 0);
  left_.resize(bandwidth_.size());
  left_for_.resize(bandwidth_.size());
}

// Links: ports, then NICs, then uplinks of racks; of each first all that send.
void FairLinks::find_path(Transfer& transfer, Rank from, Rank to) const {
  const auto ranks = static_cast<LinkId>(node_of_rank_.size());
  const std::uint32_t source = node_of_rank_[from];
  const std::uint32_t target = node_of_rank_[to];
  transfer.links = {from, ranks + to};
  transfer.link_count = 2;
  if (source == target)
    return;
  transfer.links[2] = first_nic_ + source;
  transfer.links[3] = first_nic_ + nodes_ + target;
  transfer.link_count = 4;
  if (racks_ == 0 || rack_of_node_[source] == rack_of_node_[target])
    return;
  transfer.links[4] = first_uplink_ + rack_of_node_[source];
  transfer.links[5] = first_uplink_ + racks_ + rack_of_node_[target];
  transfer.link_count = 6;
}

void FairLinks::send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
                     std::uint32_t tag) {
  if (idle_.empty()) {
    idle_.push_back(checked_id(transfers_.size(), "messages"));
    transfers_.emplace_back();
  }
  const std::uint32_t id = idle_.back();
  idle_.pop_back();
  Transfer& transfer = transfers_[id];
  find_path(transfer, from, to);
  transfer.tag = tag;
  transfer.listener = &listener;
  transfer.left = size.value;
  transfer.rate = 0;
  post((queue_.now() + startup).value, id, kBegins);
  arm();
}

void FairLinks::set_port(Rank rank, double share) {
  const auto ranks = static_cast<LinkId>(node_of_rank_.size());
  for (const LinkId link : {rank, ranks + rank}) {
    if (capacity_[link] == bandwidth_[link] * share)
      continue;
    capacity_[link] = bandwidth_[link] * share;
    changed_.push_back(link);
  }
  if (!running_)
    share_now();
}

void FairLinks::post(double time, std::uint32_t transfer, std::uint32_t version) {
  events_.push_back({time, sequence_++, transfer, version});
  std::push_heap(events_.begin(), events_.end(), Later());
}

// The queue knows of the first event only.
void FairLinks::arm() {
  if (running_ || events_.empty() || armed_for_ <= events_.front().time)
    return;
  armed_for_ = events_.front().time;
  queue_.at({armed_for_}, [this, time = armed_for_] {
    if (time == armed_for_)
      run();
  });
}

// Goes on by itself until something else is due first.
void FairLinks::run() {
  constexpr double kInstant = 1e-12;  // seconds that rounding sets simultaneous ends apart
  armed_for_ = kNever;
  running_ = true;
  while (!events_.empty()) {
    const Event event = events_.front();
    if (!changed_.empty() && event.time > queue_.now().value + kInstant) {
      share();
      continue;
    }
    if (event.time > queue_.next_time().value)
      break;  // what else is due first
    std::pop_heap(events_.begin(), events_.end(), Later());
    events_.pop_back();
    queue_.advance_to({event.time});
    if (event.version == kBegins)
      begin(event.transfer);
    else if (event.version == transfers_[event.transfer].version)
      end(event.transfer);
  }
  running_ = false;
  share_now();
}

void FairLinks::share_now() {
  if (!changed_.empty())
    share();
  arm();
}

void FairLinks::begin(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  transfer.since = queue_.now().value;
  double alone = kNever;
  bool meets_others = false;
  for (const LinkId link : transfer.path()) {
    users_[link].push_back(id);
    alone = std::min(alone, capacity_[link]);
    if (users_[link].size() > 1) {
      meets_others = true;
      changed_.push_back(link);
    }
  }
  if (!meets_others)
    run_at(transfer, id, alone);
}

void FairLinks::end(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  for (const LinkId link : transfer.path()) {
    std::erase(users_[link], id);
    if (!users_[link].empty())
      changed_.push_back(link);
  }
  ++transfer.version;
  FlowListener& listener = *transfer.listener;
  const std::uint32_t tag = transfer.tag;
  idle_.push_back(id);
  listener.flow_arrived(tag);
}

void FairLinks::run_at(Transfer& transfer, std::uint32_t id, double rate) {
  if (rate == transfer.rate)
    return;
  transfer.rate = rate;
  if (++transfer.version == kBegins)
    ++transfer.version;
  post(transfer.since + transfer.left / rate, id, transfer.version);
}

// Into met_ the links that share users with changed_, directly or by way of others, and all links
// of these users, which go into open_.
void FairLinks::find_neighbours() {
  const double now = queue_.now().value;
  met_.clear();
  open_.clear();
  const auto meet = [&](LinkId link) {
    if (is_met_[link])
      return;
    is_met_[link] = 1;
    met_.push_back(link);
    left_[link] = capacity_[link];
    left_for_[link] = static_cast<std::uint32_t>(users_[link].size());
  };
  for (const LinkId link : changed_)
    meet(link);
  changed_.clear();
  for (std::size_t i = 0; i < met_.size(); ++i)
    for (const std::uint32_t id : users_[met_[i]]) {
      Transfer& transfer = transfers_[id];
      if (std::exchange(transfer.is_known, true))
        continue;
      open_.push_back(id);
      transfer.left = std::max(0.0, transfer.left - transfer.rate * (now - transfer.since));
      transfer.since = now;
      for (const LinkId link : transfer.path())
        meet(link);
    }
  for (const LinkId link : met_)
    is_met_[link] = 0;
}

void FairLinks::share() {
  constexpr double kRounding = 1e-12;
  find_neighbours();
  const auto share_of = [this](LinkId link) { return left_[link] / left_for_[link]; };
  while (!open_.empty()) {
    double least = kNever;
    for (const std::uint32_t id : open_)
      for (const LinkId link : transfers_[id].path())
        least = std::min(least, share_of(link));
    const auto is_tight = [&](LinkId link) { return share_of(link) <= least * (1 + kRounding); };
    rest_.clear();
    tight_.clear();
    for (const std::uint32_t id : open_)
      (std::ranges::any_of(transfers_[id].path(), is_tight) ? tight_ : rest_).push_back(id);
    for (const std::uint32_t id : tight_) {
      Transfer& transfer = transfers_[id];
      for (const LinkId link : transfer.path()) {
        left_[link] -= least;
        --left_for_[link];
      }
      transfer.is_known = false;
      run_at(transfer, id, least);
    }
    std::swap(open_, rest_);
  }
}

}  // namespace stepcast
