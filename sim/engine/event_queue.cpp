#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/index.hpp"
#include "sim/engine/interruption.hpp"
#include "sim/engine/network/simgrid.hpp"

namespace stepcast {

void EventQueue::enter(SimGrid& simgrid) {
  simgrid_ = &simgrid;
  simgrid.advance_to(now_);
  origin_ = simgrid.clock() - now_;
}

void EventQueue::leave() {
  read_clock();
  if (timer_ != nullptr)
    simgrid_->remove_timer(std::exchange(timer_, nullptr));
  simgrid_ = nullptr;
}

void EventQueue::read_clock() {
  now_ = std::max(now_, simgrid_->clock() - origin_);
}

Seconds EventQueue::next_time() const {
  if (!late_now_.empty())
    return {std::min(now_, due_.empty() ? now_ : due_.front().time)};
  return {due_.empty() ? std::numeric_limits<double>::infinity() : due_.front().time};
}

void EventQueue::post(double time, bool late, const Action& action) {
  const std::uint32_t posted = keep(action);
  if (late && time == now_ && time <= until_) {
    late_now_.push_back({time, posted});
    return;
  }
  Instant& instant = instants_[instant_of(time, late)];
  (instant.first == kNoEvent ? instant.first : posted_[instant.last].next) = posted;
  instant.last = posted;
  if (!firing_)
    arm();
}

std::uint32_t EventQueue::keep(const Action& action) {
  if (idle_.empty()) {
    posted_.push_back({action});
    return checked_id(posted_.size() - 1, "events");
  }
  const std::uint32_t posted = idle_.back();
  idle_.pop_back();
  posted_[posted].action = action;
  posted_[posted].next = kNoEvent;
  return posted;
}

// One that is not over, or a new one. What pushed the newest of a time out of recent_ leaves it as
// it is: those of the same time that follow are an instant of their own, behind it. (Zero has a
// sign, which + 0.0 takes away.)
std::uint32_t EventQueue::instant_of(double time, bool late) {
  const auto bits =
      std::bit_cast<std::uint64_t>(time + 0.0) * 0x9e3779b97f4a7c15U + (late ? 1U : 0U);
  std::uint32_t& recent = recent_[(bits ^ (bits >> 32U)) % kRecent];
  if (recent < instants_.size())
    if (const Instant& known = instants_[recent];
        known.first != kNoEvent && known.time == time && known.late == late)
      return recent;
  if (idle_instants_.empty()) {
    idle_instants_.push_back(static_cast<std::uint32_t>(instants_.size()));
    instants_.emplace_back();
  }
  recent = idle_instants_.back();
  idle_instants_.pop_back();
  instants_[recent] = {.time = time, .late = late};
  due_.push({time, sequence_++ | (late ? DueInstant::kLate : 0), recent});
  return recent;
}

void EventQueue::arm() {
  if (simgrid_ == nullptr || due_.empty() || failure_)
    return;
  const double time = due_.front().time;
  if (timer_ != nullptr) {
    if (armed_for_ <= time)
      return;
    simgrid_->remove_timer(timer_);
  }
  armed_for_ = time;
  timer_ = simgrid_->set_timer(std::max(origin_ + time, simgrid_->clock()), [this] {
    timer_ = nullptr;
    fire(armed_for_);
    arm();
  });
}

void EventQueue::fire(double until) {
  firing_ = true;
  until_ = until;
  while (is_due(until) || has_late_now()) {
    const bool is_late_now = has_late_now() && (due_.empty() || due_.front().time > now_);
    if (!is_late_now && !due_.front().is_late()) {
      perform(take());
      continue;
    }
    const double instant = is_late_now ? now_ : due_.front().time;
    while (is_due(until) && due_.front().is_late() && due_.front().time == instant)
      round_.push_back(take());
    if (instant == now_) {
      round_.insert(round_.end(), late_now_.begin(), late_now_.end());
      late_now_.clear();
    }
    for (const Event& event : round_)
      perform(event);
    round_.clear();
  }
  until_ = kNotFiring;
  firing_ = false;
}

EventQueue::Event EventQueue::take() {
  const DueInstant due = due_.front();
  Instant& instant = instants_[due.instant];
  const Event event{due.time, instant.first};
  instant.first = posted_[event.posted].next;
  if (instant.first == kNoEvent) {
    due_.pop();
    idle_instants_.push_back(due.instant);
  }
  return event;
}

void EventQueue::perform(const Event& event) {
  now_ = std::max(now_, event.time);
  const Action action = posted_[event.posted].action;
  idle_.push_back(event.posted);
  guard(action);
}

void EventQueue::guard(const Action& action) {
  if (failure_)
    return;
  try {
    check_interruption();
    action();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

// In SimGrid's order: what ends, events, who hears of the ends.
void EventQueue::run_on_own_clock() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  constexpr Seconds kSame{1e-9};
  if (endings_ == nullptr)
    return fire(kNever);
  while (simgrid_ == nullptr && !failure_) {
    const double time = std::min(next_time().value, endings_->next_end().value);
    if (time == kNever)
      return;
    now_ = std::max(now_, time);
    // Behind a hundred days a nanosecond is lost in the clock; what ends now ends all the same.
    endings_->end_before(std::max(Seconds{now_} + kSame, Seconds{std::nextafter(now_, kNever)}));
    fire(time);
    endings_->tell_of_ends();
  }
}

// Each clock runs until it has nothing left or the other one takes over.
void EventQueue::run() {
  if (simgrid_ == nullptr)
    run_on_own_clock();
  while (simgrid_ != nullptr) {
    arm();
    simgrid_->run();
    if (simgrid_ != nullptr)
      break;
    run_on_own_clock();
  }
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace stepcast
