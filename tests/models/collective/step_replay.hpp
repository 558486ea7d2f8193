#pragma once
// A small reference simulator of step plans: every message is a timer and then a max-min fair flow.
// It shares no code with the closed forms and none with SimGrid.

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "models/collective/collective.hpp"

namespace stepcast {

class StepReplay {
 public:
  StepReplay(StepPlan plan, const Cluster& cluster) : cluster_(cluster), barrier_(plan.barrier) {
    for (const Round& round : plan.rounds)
      rounds_.insert(rounds_.end(), round.repeat, round.messages);
    for (const auto& messages : rounds_) {
      pending_.emplace_back(barrier_ ? 1 : cluster.ranks());
      for (const Message& message : messages)
        add(pending_.back(), message, 1);
    }
    position_.resize(barrier_ ? 1 : cluster.ranks());
  }

  /// Time until the last message has arrived; infinity if some message could never start.
  double run() {
    for (std::uint32_t unit = 0; unit < position_.size(); ++unit)
      enter(unit);
    while (!waiting_.empty() || !flows_.empty())
      advance();
    const auto finished = [&](std::size_t position) { return position == rounds_.size(); };
    return std::ranges::all_of(position_, finished) ? now_
                                                    : std::numeric_limits<double>::infinity();
  }

 private:
  struct Flow {
    std::vector<int> route;
    double left = 0, rate = 0;
    std::size_t round = 0;
    Message message;
  };

  // A unit is a rank, or with a barrier all ranks together. A message holds up both its ends.
  void add(std::vector<int>& pending, const Message& message, int count) const {
    pending[barrier_ ? 0 : message.from] += count;
    pending[barrier_ ? 0 : message.to] += count;
  }

  void enter(std::uint32_t unit) {
    const std::size_t round = position_[unit];
    if (round == rounds_.size())
      return;
    for (const Message& message : rounds_[round])
      if (barrier_ || message.from == unit)
        waiting_.emplace(now_ + startup(message),
                         Flow{route_of(message), message.size.value, 0, round, message});
    leave_if_done(unit);
  }

  double startup(const Message& message) const {
    return message.follows ? 0 : startup_of(cluster_, message.from, message.to).value;
  }

  void leave_if_done(std::uint32_t unit) {
    if (position_[unit] < rounds_.size() && pending_[position_[unit]][unit] == 0) {
      ++position_[unit];
      enter(unit);
    }
  }

  std::vector<int> route_of(const Message& message) const {
    const int from = static_cast<int>(message.from), to = static_cast<int>(message.to);
    const int gpus = static_cast<int>(cluster_.gpus_per_node);
    std::vector<int> route{6 * from, 6 * to + 1};
    if (from / gpus == to / gpus)
      return route;
    route.insert(route.end(), {6 * (from / gpus) + 2, 6 * (to / gpus) + 3});
    const int rack = cluster_.rack ? gpus * static_cast<int>(cluster_.rack->nodes) : 0;
    if (rack != 0 && from / rack != to / rack)
      route.insert(route.end(), {6 * (from / rack) + 4, 6 * (to / rack) + 5});
    return route;
  }

  double capacity_of(int link) const {
    if (link % 6 < 2)
      return cluster_.intra_node.bandwidth.value;
    return link % 6 < 4 ? cluster_.nic.bandwidth.value : uplink_bandwidth(cluster_).value;
  }

  /// Progressive filling: fix the flows of the link that offers least, take them off, repeat.
  void share() {
    std::map<int, std::pair<double, int>> links;  // capacity left, flows without a rate
    for (Flow& flow : flows_)
      for (const int link : flow.route)
        ++links.try_emplace(link, capacity_of(link), 0).first->second.second;
    for (Flow& flow : flows_)
      flow.rate = 0;
    for (std::size_t fixed = 0; fixed < flows_.size();) {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& [link, state] : links)
        if (state.second > 0)
          least = std::min(least, state.first / state.second);
      std::vector<Flow*> bound;
      for (Flow& flow : flows_)
        if (flow.rate == 0 && std::ranges::any_of(flow.route, [&](int link) {
              return links[link].first / links[link].second <= least * (1 + 1e-12);
            }))
          bound.push_back(&flow);
      for (Flow* flow : bound)
        for (const int link : (flow->rate = least, flow->route)) {
          links[link].first -= least;
          --links[link].second;
        }
      fixed += bound.size();
    }
  }

  void advance() {
    share();
    double next =
        waiting_.empty() ? std::numeric_limits<double>::infinity() : waiting_.begin()->first;
    for (const Flow& flow : flows_)
      next = std::min(next, now_ + flow.left / flow.rate);
    const double horizon = next * (1 + 1e-13);  // What ends together despite rounding.
    std::vector<Flow> done;
    for (Flow& flow : flows_)
      if (now_ + flow.left / flow.rate <= horizon)
        done.push_back(flow);
    std::erase_if(flows_, [&](const Flow& f) { return now_ + f.left / f.rate <= horizon; });
    for (Flow& flow : flows_)
      flow.left -= flow.rate * (next - now_);
    now_ = next;
    for (; !waiting_.empty() && waiting_.begin()->first <= horizon;
         waiting_.erase(waiting_.begin()))
      flows_.push_back(waiting_.begin()->second);
    for (const Flow& flow : done)
      finish(flow);
  }

  void finish(const Flow& flow) {
    add(pending_[flow.round], flow.message, -1);
    for (const Rank rank : {flow.message.from, flow.message.to}) {
      const std::uint32_t unit = barrier_ ? 0 : rank;
      if (position_[unit] == flow.round)
        leave_if_done(unit);
    }
  }

  const Cluster& cluster_;
  bool barrier_;
  std::vector<std::vector<Message>> rounds_;
  std::vector<std::vector<int>> pending_;  // By round and unit.
  std::vector<std::size_t> position_;      // Round each unit is in.
  std::multimap<double, Flow> waiting_;    // By the end of the start-up.
  std::vector<Flow> flows_;
  double now_ = 0;
};

inline double replay(const StepPlan& plan, const Cluster& cluster) {
  return StepReplay(plan, cluster).run();
}

/// Phases one after the other, each its start-up and then all its messages at once.
inline double replay(const std::vector<Phase>& phases, Cluster cluster) {
  cluster.intra_node.startup = cluster.nic.startup = {};
  if (cluster.rack)
    cluster.rack->startup = {};
  StepPlan plan{{}, true};
  double startups = 0;
  for (const Phase& phase : phases) {
    startups += phase.startup.value;
    plan.rounds.push_back({phase.messages});
  }
  return startups + StepReplay(plan, cluster).run();
}

}  // namespace stepcast
