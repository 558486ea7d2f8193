#include "sim/engine/network/analytic_backend.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/engine/folding/roles.hpp"
#include "sim/engine/take_slot.hpp"

// Folded groups are alike, so the speed of the first of them is that of all; what all of them take
// of their links counts. Links of which all collectives so far ask the same are a class: of the
// hundreds that the rings of a folded team cross there are few. A change costs O(classes of one
// collective), to be added or taken away, and what analytic_speeds.cpp says. One of known shares
// costs two events, when it begins to move and when it ends, and one for each other speed.

namespace stepcast {
namespace {

constexpr Seconds kSame{1e-12};

}  // namespace

void AnalyticBackend::start(const Collective& collective, const Participants& participants,
                            Seconds delay, Done done) {
  const std::uint32_t index = take_slot(operations_, idle_, "operations");
  Operation& operation = operations_[index];
  operation = {.collective = collective,
               .participants = participants,
               .own = nullptr,
               .is_barrier = is_of_all(*participants.team, cluster_),
               .version = operation.version,
               .done = std::move(done)};
  if (participants.id == kNone) {
    operation.own = std::make_unique<Cost>();
    operation.cost = operation.own.get();
    operation.cost->alone = time_alone(collective, participants);
    find_shares(*operation.cost, collective, participants);  // its group is gone afterwards
  } else {
    operation.cost = &known_cost(collective, participants);
  }
  operation.end = queue_.now() + (delay + operation.cost->alone);
  if (delay > Seconds{})
    queue_.after(delay, [this, index] { begin(index); });
  else
    begin(index);
}

Seconds AnalyticBackend::time_alone(const Collective& collective,
                                    const Participants& participants) const {
  const Group& group = participants.representative();
  const Seconds time = cost_of(collective, group, cluster_);
  return participants.without_startup ? time - message_startup(collective, group, cluster_) : time;
}

AnalyticBackend::Cost& AnalyticBackend::known_cost(const Collective& collective,
                                                   const Participants& participants) {
  const CollectiveKey key = key_of(collective, participants);
  if (participants.id >= recent_costs_.size())
    recent_costs_.resize(participants.id + std::size_t{1});
  auto& recent = recent_costs_[participants.id];
  if (recent != nullptr && recent->first == key)
    return recent->second;
  const auto [known, is_new] = costs_.try_emplace(key);
  if (is_new)
    known->second.alone = time_alone(collective, participants);
  recent = &*known;
  return known->second;
}

// Until it moves it changes nobody's speed, and when it ends is known when it has one itself. Where
// its shares are not known they need not be, unless others are under way.
void AnalyticBackend::begin(std::uint32_t index) {
  Operation& operation = operations_[index];
  under_way_.push_back(index);
  barriers_ += operation.is_barrier ? 1 : 0;
  if (operation.cost->shares.empty()) {
    post_end(index);
    change_speeds();
    return;
  }
  know_start(operation);
  if (operation.moves_at <= queue_.now() + kSame || barriers_ > 0)
    change_speeds();
}

void AnalyticBackend::post_end(std::uint32_t index) {
  Operation& operation = operations_[index];
  operation.ends = true;
  queue_.at(operation.end, [this, index, version = ++operation.version] { end(index, version); });
}

void AnalyticBackend::end(std::uint32_t operation, std::uint32_t version) {
  if (version != operations_[operation].version)
    return;
  const Done done = std::move(operations_[operation].done);
  std::erase(under_way_, operation);
  barriers_ -= operations_[operation].is_barrier ? 1 : 0;
  leave_links(operations_[operation]);
  idle_.push_back(operation);
  if (is_changed_)
    change_speeds();
  done();
}

LinkLoads& AnalyticBackend::loads() {
  if (!loads_) {
    loads_.emplace(cluster_);
    classes_ = LinkClasses(loads_->link_count());
    tight_.resize(1);
    changed_.resize(1);
    wanted_ = {0};
    users_ = {0};
    carried_ = {1};
  }
  return *loads_;
}

void AnalyticBackend::split_classes(std::span<const LinkShare> shares) {
  const std::vector<std::uint32_t> split_from = classes_.refine(shares);
  tight_.resize(classes_.count());
  changed_.resize(classes_.count());
  for (const std::uint32_t from : split_from) {
    const auto added = static_cast<std::uint32_t>(wanted_.size());
    wanted_.push_back(wanted_[from]);
    users_.push_back(users_[from]);
    carried_.push_back(carried_[from]);
    slowed_ += carried_[from] < 1 ? 1 : 0;
    tight_.set(added, tight_.has(from));
    changed_.set(added, changed_.has(from));
  }
}

const std::vector<std::uint32_t>& AnalyticBackend::ports_of(std::span<const Rank> ranks) {
  const LinkLoads& links = loads();
  Ports& ports = ports_[ranks.front()];
  if (ports.known_at == classes_.count())
    return ports.classes;
  std::vector<LinkShare> all;
  for (const Rank rank : ranks)
    for (const std::uint32_t link : links.port_of(rank))
      all.push_back({link, 1});
  split_classes(all);
  ports.classes.clear();
  for (const LinkShare& each : all)
    ports.classes.push_back(classes_.of(each.link));
  std::ranges::sort(ports.classes);
  ports.classes.erase(std::unique(ports.classes.begin(), ports.classes.end()), ports.classes.end());
  ports.known_at = classes_.count();
  return ports.classes;
}

void AnalyticBackend::set_ports(std::span<const Rank> ranks, double share) {
  for (const std::uint32_t id : ports_of(ranks)) {
    slowed_ += (share < 1 ? 1 : 0) - (carried_[id] < 1 ? 1 : 0);
    carried_[id] = share;
    note_change(id);
  }
  change_speeds();
}

void AnalyticBackend::find_shares(Cost& cost, const Collective& collective,
                                  const Participants& participants) {
  if (!cost.shares.empty() || cost.alone <= Seconds{})
    return;
  if (participants.groups.size() == 1)
    return find_shares_of_one(cost, collective, participants.representative());
  std::map<std::uint32_t, double> parts;  // by link
  std::vector<std::uint32_t> first;
  for (const std::uint32_t group : participants.groups) {
    const auto times =
        loads().link_times(edge_flows_of(collective, participants.team->groups[group], cluster_));
    cost.moving = {};
    for (const LinkTime& each : times)
      cost.moving = std::max(cost.moving, std::min(each.time, cost.alone));
    for (const auto& [link, time] : times) {
      parts[link] += std::min(time / cost.moving, 1.0);
      if (group == participants.groups.front())
        first.push_back(link);
    }
  }
  std::ranges::sort(first);
  for (const auto& [link, part] : parts) {
    if (std::ranges::binary_search(first, link))
      cost.of_first.push_back(static_cast<std::uint32_t>(cost.shares.size()));
    cost.shares.push_back({link, part});
  }
  split_classes(cost.shares);
}

// No other group of the team shares a link with it.
void AnalyticBackend::find_shares_of_one(Cost& cost, const Collective& collective,
                                         const Group& group) {
  const auto times = loads().link_times(edge_flows_of(collective, group, cluster_));
  cost.moving = {};
  for (const LinkTime& each : times)
    cost.moving = std::max(cost.moving, std::min(each.time, cost.alone));
  cost.shares.reserve(times.size());
  for (const auto& [link, time] : times)
    cost.shares.push_back({link, std::min(time / cost.moving, 1.0)});
  cost.of_first.resize(times.size());
  std::iota(cost.of_first.begin(), cost.of_first.end(), 0U);
  split_classes(cost.shares);
}

const AnalyticBackend::Cost& AnalyticBackend::by_class(Cost& cost) {
  if (cost.asked_at != classes_.count() && !cost.shares.empty())
    find_classes(cost);
  return cost;
}

void AnalyticBackend::find_classes(Cost& cost) {
  cost.asked_at = classes_.count();
  cost.asked.clear();
  ++mark_;
  marks_.resize(classes_.count(), 0);
  const auto add = [&](const LinkShare& share) {
    const std::uint32_t id = classes_.of(share.link);
    if (std::exchange(marks_[id], mark_) != mark_)
      cost.asked.push_back({id, share.part});
  };
  for (const std::uint32_t share : cost.of_first)
    add(cost.shares[share]);
  cost.first_asked = cost.asked.size();
  std::ranges::for_each(cost.shares, add);
  cost.classes.resize(classes_.count());
  cost.classes.clear();
  for (const ClassShare& share : cost.asked)
    cost.classes.put(share.id);
}

void AnalyticBackend::know_start(Operation& operation) {
  operation.moves_at = operation.end - operation.cost->moving;
  if (operation.moves_at > queue_.now() + kSame)
    queue_.late(operation.moves_at, [this] { find_speeds(); });
}

bool AnalyticBackend::moves(std::uint32_t index) {
  Operation& operation = operations_[index];
  if (operation.moves_at < Seconds{}) {
    find_shares(*operation.cost, operation.collective, operation.participants);
    know_start(operation);
  }
  return operation.moves_at <= queue_.now() + kSame;
}

// Whether nobody else wants any of them.
bool AnalyticBackend::want_links(Operation& operation) {
  operation.wants = true;
  std::uint32_t others = 0;
  for (const ClassShare& share : by_class(*operation.cost).asked) {
    wanted_[share.id] += share.part;
    others |= users_[share.id]++;
    note_change(share.id);
  }
  return others == 0;
}

// Sums of several parts are left with an error of rounding; with the last of them it goes. A link
// that nobody wants any more changes nobody's speed.
void AnalyticBackend::leave_links(Operation& operation) {
  if (!std::exchange(operation.wants, false))
    return;
  for (const ClassShare& share : by_class(*operation.cost).asked) {
    wanted_[share.id] = under_way_.empty() ? 0 : wanted_[share.id] - share.part;
    if (--users_[share.id] > 0)
      note_change(share.id);
    else
      tight_.set(share.id, false);
  }
}

// Once for all that begins, ends or changes at an instant.
void AnalyticBackend::change_speeds() {
  if (!under_way_.empty() && !std::exchange(changes_, true))
    queue_.late(queue_.now(), [this] {
      changes_ = false;
      find_speeds();
    });
}

}  // namespace stepcast
