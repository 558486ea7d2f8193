#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/engine/interruption.hpp"
#include "sim/engine/network/simgrid.hpp"

namespace stepcast {

void EventQueue::enter(SimGrid& simgrid) {
  simgrid_ = entered_ = &simgrid;
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

EngineUse EventQueue::use() const {
  if (entered_ == nullptr)
    return {};
  return {.simgrid = simgrid_ != nullptr,
          .activities = entered_->activities(),
          .version = entered_->version()};
}

Seconds EventQueue::next_time() const {
  if (!late_now_.empty())
    return {std::min(now_, due_.empty() ? now_ : due_.front().time)};
  return {due_.empty() ? std::numeric_limits<double>::infinity() : due_.front().time};
}

void EventQueue::post(double time, bool late, const Action& action) {
  const std::uint32_t posted = due_.keep(action);
  if (late && time == now_ && time <= until_) {
    late_now_.push_back({time, posted});
    return;
  }
  due_.post(time, late, posted);
  if (!firing_)
    arm();
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
  const double time = due_.front().time;
  return {time, due_.take()};
}

void EventQueue::perform(const Event& event) {
  now_ = std::max(now_, event.time);
  guard(due_.release(event.posted));
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
