#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/index.hpp"
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
  if (idle_.empty()) {
    idle_.push_back(checked_id(actions_.size(), "events"));
    actions_.emplace_back();
  }
  const std::uint32_t slot = idle_.back();
  idle_.pop_back();
  actions_[slot] = std::move(action);
  heap_.push_back({std::max(time.value, now_), sequence_++, slot});
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
  while (!heap_.empty() && heap_.front().time <= until && !failure_) {
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    const Event event = heap_.back();
    heap_.pop_back();
    now_ = std::max(now_, event.time);
    const Action action = std::move(actions_[event.action]);
    idle_.push_back(event.action);
    guard(action);
  }
  firing_ = false;
}

void EventQueue::guard(const Action& action) {
  if (failure_)
    return;
  try {
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
