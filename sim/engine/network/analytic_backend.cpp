#include "sim/engine/network/analytic_backend.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {

void AnalyticBackend::start(const Collective& collective, const Group& group, Seconds delay,
                            Done done) {
  if (idle_.empty()) {
    idle_.push_back(static_cast<std::uint32_t>(operations_.size()));
    operations_.emplace_back();
  }
  const std::uint32_t index = idle_.back();
  idle_.pop_back();
  Operation& operation = operations_[index];
  operation.collective = collective;
  operation.group = &group;
  operation.cost = &known_cost(collective, group);
  operation.end = queue_.now() + (delay + operation.cost->alone);
  operation.moves_at = Seconds{-1};
  operation.slowness = 1;
  operation.done = std::move(done);
  queue_.after(delay, [this, index] { begin(index); });
}

AnalyticBackend::Cost& AnalyticBackend::known_cost(const Collective& collective,
                                                   const Group& group) {
  const Key key{collective.kind, collective.algorithm, collective.size.value,
                collective.root, collective.shares,    &group};
  const auto [known, is_new] = costs_.try_emplace(key);
  if (is_new)
    known->second.alone = cost_of(collective, group, cluster_);
  return known->second;
}

void AnalyticBackend::begin(std::uint32_t operation) {
  under_way_.push_back(operation);
  Operation& begun = operations_[operation];
  queue_.at(begun.end, [this, operation, version = ++begun.version] { end(operation, version); });
  if (under_way_.size() > 1)
    change_speeds();
}

void AnalyticBackend::end(std::uint32_t operation, std::uint32_t version) {
  if (version != operations_[operation].version)
    return;
  const Done done = std::move(operations_[operation].done);
  std::erase(under_way_, operation);
  idle_.push_back(operation);
  change_speeds();
  done();
}

void AnalyticBackend::find_shares(const Operation& operation) {
  Cost& cost = *operation.cost;
  if (!cost.shares.empty() || cost.alone <= Seconds{})
    return;
  if (!loads_) {
    loads_.emplace(cluster_);
    wanted_.resize(loads_->link_count());
  }
  const auto phases = edge_flows_of(operation.collective, *operation.group, cluster_);
  const auto times = loads_->link_times(phases);
  for (const LinkTime& each : times)
    cost.moving = std::max(cost.moving, std::min(each.time, cost.alone));
  for (const auto& [link, time] : times)
    cost.shares.push_back({link, std::min(time / cost.moving, 1.0)});
}

bool AnalyticBackend::moves(std::uint32_t operation) {
  Operation& asked = operations_[operation];
  constexpr Seconds kRounding{1e-12};
  if (asked.moves_at < Seconds{}) {
    find_shares(asked);
    asked.moves_at = asked.end - asked.cost->moving;
    if (asked.moves_at > queue_.now() + kRounding)
      queue_.at(asked.moves_at, [this] { change_speeds(); });
  }
  return asked.moves_at <= queue_.now() + kRounding;
}

void AnalyticBackend::change_speeds() {
  if (under_way_.size() == 1)
    return run_at(under_way_.front(), 1);
  for (const std::uint32_t operation : under_way_)
    if (moves(operation))
      for (const LinkShare& share : operations_[operation].cost->shares)
        wanted_[share.link] += share.part;
  constexpr double kRounding = 1e-9;
  for (const std::uint32_t operation : under_way_) {
    double most = 1 + kRounding;
    if (!moves(operation))
      continue;
    for (const LinkShare& share : operations_[operation].cost->shares)
      most = std::max(most, wanted_[share.link]);
    run_at(operation, most > 1 + kRounding ? most : 1);
  }
  for (const std::uint32_t operation : under_way_)
    for (const LinkShare& share : operations_[operation].cost->shares)
      wanted_[share.link] = 0;
}

void AnalyticBackend::run_at(std::uint32_t operation, double slowness) {
  Operation& changed = operations_[operation];
  if (slowness == changed.slowness)
    return;
  const Seconds now = queue_.now();
  const Seconds left = std::max(changed.end - now, Seconds{});
  changed.end = now + left * (slowness / changed.slowness);
  changed.slowness = slowness;
  queue_.at(changed.end,
            [this, operation, version = ++changed.version] { end(operation, version); });
}

}  // namespace stepcast
