// The analytic backend's speeds: who is slowed down by whom.
#include <algorithm>
#include <limits>
#include <utility>

#include "sim/engine/network/analytic_backend.hpp"

// Speeds change only of those that share a link that is wanted more than once over with what
// changes, or with others of whom that is true: those are found first, O(words of a set of classes)
// for each that is under way, and share their links anew in a few rounds of O(their classes).

namespace stepcast {
namespace {

constexpr double kRounding = 1e-9;  // of a slowness

}  // namespace

// A link that is tight neither before nor behind it, but for rounding, slows down nobody.
void AnalyticBackend::note_change(std::uint32_t id) {
  const bool is_tight = wanted_[id] > carried_[id] * (1 + kRounding);
  if (!is_tight && !tight_.has(id))
    return;
  tight_.set(id, is_tight);
  changed_.put(id);
  is_changed_ = true;
}

void AnalyticBackend::check_barriers() const {
  if (under_way_.size() > 1 && std::ranges::any_of(under_way_, [&](std::uint32_t operation) {
        return operations_[operation].is_barrier;
      }))
    throw FoldingRefuted();
}

void AnalyticBackend::find_speeds() {
  if (assumes_)
    check_barriers();
  if (under_way_.size() == 1 && operations_[under_way_.front()].is_one_group() && slowed_ == 0)
    return run_at(under_way_.front(), 1);
  const bool others_change = is_changed_;
  const bool is_apart = want_links_that_move();
  if (std::exchange(is_changed_, false)) {
    if (is_apart && !others_change)
      run_alone(moved_.front());
    else
      change_speeds_concerned();
  }
  for (const std::uint32_t operation : moved_)
    if (!operations_[operation].ends)
      post_end(operation);
}

// Whether that is one, on links that nobody else wants.
bool AnalyticBackend::want_links_that_move() {
  moved_.clear();
  bool is_apart = true;
  for (const std::uint32_t operation : under_way_)
    if (!operations_[operation].wants && moves(operation)) {
      is_apart = want_links(operations_[operation]) && is_apart;
      moved_.push_back(operation);
    }
  return is_apart && moved_.size() == 1;
}

// What find_slowness() finds of it.
void AnalyticBackend::run_alone(std::uint32_t operation) {
  changed_.clear();
  const Cost& cost = *operations_[operation].cost;
  double slowness = 1;
  for (std::size_t i = 0; i < cost.first_asked; ++i)
    if (const std::uint32_t id = cost.asked[i].id; tight_.has(id))
      slowness = std::max(slowness, wanted_[id] / carried_[id]);
  run_at(operation, slowness > 1 + kRounding ? slowness : 1);
}

void AnalyticBackend::change_speeds_concerned() {
  reach_concerned();
  open_.clear();
  slowing_.clear();
  ++mark_;
  marks_.resize(wanted_.size(), 0);
  claimed_.resize(wanted_.size());
  left_.resize(wanted_.size());
  for (const std::uint32_t operation : under_way_)
    if (std::exchange(operations_[operation].is_open, false))
      open(operation);
  share_links();
}

// From what has changed, by way of tight links.
void AnalyticBackend::reach_concerned() {
  for (const std::uint32_t operation : under_way_)
    by_class(*operations_[operation].cost);
  reached_ = changed_;
  changed_.clear();
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const std::uint32_t index : under_way_) {
      Operation& operation = operations_[index];
      if (!operation.wants || operation.is_open || !operation.cost->classes.meets(reached_))
        continue;
      operation.is_open = true;
      goes_on = reached_.put_common(operation.cost->classes, tight_) || goes_on;
    }
  }
}

// Its tight links are all that matters: nobody is slowed down by the others, neither now nor when
// somebody leaves them some of what he wanted. Speeds are asked for on links of first groups alone:
// of the others nothing need be known, and they are most.
void AnalyticBackend::open(std::uint32_t operation) {
  const Cost& cost = *operations_[operation].cost;
  const std::size_t first = slowing_.size();
  for (std::size_t i = 0; i < cost.first_asked; ++i) {
    const std::uint32_t id = cost.asked[i].id;
    if (!tight_.has(id))
      continue;
    slowing_.push_back(id);
    if (std::exchange(marks_[id], mark_) == mark_)
      continue;
    claimed_[id] = wanted_[id];
    left_[id] = carried_[id];
  }
  open_.push_back({.operation = operation, .first = first, .end = slowing_.size(), .slowness = 1});
}

// Of those that are open, by what is claimed and left of their tight links.
AnalyticBackend::Extremes AnalyticBackend::find_slowness() {
  Extremes found{.least = std::numeric_limits<double>::infinity(), .most = 1};
  for (Open& each : open_) {
    each.slowness = 1;
    for (std::size_t i = each.first; i < each.end; ++i)
      each.slowness = std::max(each.slowness, claimed_[slowing_[i]] / left_[slowing_[i]]);
    found.least = std::min(found.least, each.slowness);
    found.most = std::max(found.most, each.slowness);
  }
  return found;
}

// Max-min fair: those on the tightest link share it alike; what they leave of their other links is
// for the others, of whom the next tightest come next. Those that are left after kRounds, where
// levels are many, share as if nobody left anything: slower, but within their links.
void AnalyticBackend::share_links() {
  constexpr int kRounds = 16;
  for (int round = 1; !open_.empty(); ++round) {
    const Extremes extremes = find_slowness();
    const double least = round < kRounds ? extremes.most * (1 - kRounding) : 1;
    const bool is_last = extremes.least >= least;
    std::size_t rest = 0;
    for (const Open& each : open_) {
      if (each.slowness < least) {
        open_[rest++] = each;
        continue;
      }
      run_at(each.operation, each.slowness > 1 + kRounding ? each.slowness : 1);
      if (!is_last)
        leave_to_others(each);
    }
    open_.resize(rest);
  }
}

void AnalyticBackend::leave_to_others(const Open& settled) {
  for (const ClassShare& share : operations_[settled.operation].cost->asked)
    if (marks_[share.id] == mark_) {
      claimed_[share.id] -= share.part;
      left_[share.id] -= share.part / settled.slowness;
    }
}

void AnalyticBackend::run_at(std::uint32_t operation, double slowness) {
  Operation& changed = operations_[operation];
  if (slowness == changed.slowness) {
    if (!changed.ends)
      post_end(operation);
    return;
  }
  const Seconds now = queue_.now();
  const Seconds left = std::max(changed.end - now, Seconds{});
  changed.end = now + left * (slowness / changed.slowness);
  changed.slowness = slowness;
  post_end(operation);
}

}  // namespace stepcast
