#include "sim/engine/by_priority_policy.hpp"

#include <algorithm>
#include <tuple>

namespace stepcast {

void ByPriorityPolicy::ready(Operation operation) {
  const auto key = [this](Operation op) {
    return std::tuple(op.iteration, dispatcher_.priority_of(op), op.step);
  };
  const auto after = [&](Operation waiting, Operation added) { return key(waiting) > key(added); };
  waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), operation, after), operation);
  launch_what_fits();
}

void ByPriorityPolicy::finished(Operation operation) {
  in_flight_ -= dispatcher_.size_of(operation);
  --running_;
  launch_what_fits();
}

void ByPriorityPolicy::launch_what_fits() {
  while (!waiting_.empty()) {
    const Operation next = waiting_.back();
    const Bytes size = dispatcher_.size_of(next);
    if (running_ > 0 && in_flight_ + size > rule_.credit)
      return;
    waiting_.pop_back();
    in_flight_ += size;
    ++running_;
    dispatcher_.launch(std::span(&next, 1), {});
  }
}

}  // namespace stepcast
