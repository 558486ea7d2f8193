#include "sim/engine/policy/by_priority_policy.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {

void ByPriorityPolicy::ready(Operation operation) {
  waiting_.push_back({dispatcher_.priority_of(operation), operation});
  std::push_heap(waiting_.begin(), waiting_.end());
  decide_late();
}

void ByPriorityPolicy::finished(Operation operation) {
  in_flight_ -= dispatcher_.size_of(operation);
  --running_;
  decide_late();
}

// Of what becomes ready at one instant the most urgent goes first, whoever comes first.
void ByPriorityPolicy::decide_late() {
  if (!std::exchange(decides_, true))
    dispatcher_.wake_at(dispatcher_.now(), *this);
}

void ByPriorityPolicy::wake() {
  decides_ = false;
  hand_over_what_fits();
}

void ByPriorityPolicy::hand_over_what_fits() {
  while (!waiting_.empty()) {
    const Operation next = waiting_.front().operation;
    const Bytes size = dispatcher_.size_of(next);
    const bool busy = running_ > 0 || !handed_over_.empty();
    if (busy && in_flight_ + size > rule_.credit)
      break;
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    in_flight_ += size;
    handed_over_.push_back(next);
  }
  launch_what_may_run();
}

void ByPriorityPolicy::launch_what_may_run() {
  while (!handed_over_.empty() && (rule_.at_once == 0 || running_ < rule_.at_once)) {
    const Operation next = handed_over_.front();
    if (rule_.takes_turns && dispatcher_.now() < free_from_)
      return wake_when_free();
    handed_over_.pop_front();
    ++running_;
    free_from_ = dispatcher_.now() + dispatcher_.overhead_of(next);
    dispatcher_.launch(std::span(&next, 1), {});
  }
}

void ByPriorityPolicy::wake_when_free() {
  if (std::exchange(woken_at_, free_from_) != free_from_)
    dispatcher_.wake_at(free_from_, *this);
}

}  // namespace stepcast
