#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/index.hpp"
#include "sim/engine/interruption.hpp"
#include "sim/engine/network/simgrid.hpp"

namespace stepcast {

EventQueue::EventQueue(SimGrid* simgrid) : simgrid_(simgrid) {
  if (simgrid_ != nullptr)
    simgrid_->reset_clock();
  origin_ = simgrid_ == nullptr ? 0 : simgrid_->clock();
}

Seconds EventQueue::now() {
  if (!firing_ && simgrid_ != nullptr)
    now_ = std::max(now_, simgrid_->clock() - origin_);
  return {now_};
}

Seconds EventQueue::next_time() const {
  return {heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().time};
}

void EventQueue::at(Seconds time, Action action) {
  post(time, false, std::move(action));
}

void EventQueue::late(Seconds time, Action action) {
  post(time, true, std::move(action));
}

void EventQueue::post(Seconds time, bool late, Action action) {
  if (idle_.empty()) {
    idle_.push_back(checked_id(actions_.size(), "events"));
    actions_.emplace_back();
  }
  const std::uint32_t slot = idle_.back();
  idle_.pop_back();
  actions_[slot] = std::move(action);
  heap_.push_back({std::max(time.value, now_), late, sequence_++, slot});
  std::push_heap(heap_.begin(), heap_.end(), Later());
  if (!firing_)
    arm();
}

void EventQueue::arm() {
  if (simgrid_ == nullptr || heap_.empty() || failure_)
    return;
  const double time = heap_.front().time;
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
  while (is_due(until)) {
    if (!heap_.front().late) {
      perform(take());
      continue;
    }
    const double instant = heap_.front().time;
    while (is_due(until) && heap_.front().late && heap_.front().time == instant)
      round_.push_back(take());
    for (const Event& event : round_)
      perform(event);
    round_.clear();
  }
  firing_ = false;
}

EventQueue::Event EventQueue::take() {
  std::pop_heap(heap_.begin(), heap_.end(), Later());
  const Event event = heap_.back();
  heap_.pop_back();
  return event;
}

void EventQueue::perform(const Event& event) {
  now_ = std::max(now_, event.time);
  const Action action = std::move(actions_[event.action]);
  idle_.push_back(event.action);
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

void EventQueue::run() {
  if (simgrid_ != nullptr)
    simgrid_->run();
  else
    fire(std::numeric_limits<double>::infinity());
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace stepcast
