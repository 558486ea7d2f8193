#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <utility>

#include "models/base/index.hpp"
#include "sim/engine/simgrid_compat.hpp"

namespace stepcast {

EventQueue::EventQueue() : origin_(simgrid_compat::clock()) {}

Seconds EventQueue::now() {
  if (!firing_)
    now_ = std::max(now_, simgrid_compat::clock() - origin_);
  return {now_};
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
  if (heap_.empty() || failure_)
    return;
  const double time = heap_.front().time;
  if (timer_ != nullptr) {
    if (armed_for_ <= time)
      return;
    simgrid_compat::remove_timer(timer_);
  }
  armed_for_ = time;
  timer_ = simgrid_compat::set_timer(std::max(origin_ + time, simgrid_compat::clock()),
                                     [this] { fire(); });
}

void EventQueue::fire() {
  timer_ = nullptr;
  firing_ = true;
  while (!heap_.empty() && heap_.front().time <= armed_for_ && !failure_) {
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    const Event event = heap_.back();
    heap_.pop_back();
    now_ = std::max(now_, event.time);
    const Action action = std::move(actions_[event.action]);
    idle_.push_back(event.action);
    guard(action);
  }
  firing_ = false;
  arm();
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
  simgrid_compat::run();
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace stepcast
