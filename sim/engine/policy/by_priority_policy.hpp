#pragma once

#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

#include "sim/engine/policy/dispatch_policy.hpp"

namespace stepcast {

/// Of the ready operations the one with the lowest priority value is handed over first; more follow
/// while the bytes in flight fit the credit (ByteScheduler, SOSP 2019). What is handed over starts
/// first in, first out, at most `at_once` at a time, and is not overtaken or pre-empted any more: a
/// large credit keeps the wire busy but reacts later to something more urgent. Where overheads take
/// turns, what is next starts when the overhead of the one before it is over.
class ByPriorityPolicy : public DispatchPolicy {
 public:
  ByPriorityPolicy(const ByPriority& rule, Dispatcher& dispatcher)
      : rule_(rule), dispatcher_(dispatcher) {}
  void ready(Operation operation) override;
  void finished(Operation operation) override;
  void wake() override;

 private:
  struct Waiting {
    std::int32_t priority = 0;
    Operation operation;
    /// Whether `other` starts before this one: a heap has its greatest element first.
    bool operator<(const Waiting& other) const {
      const auto key = [](const Waiting& each) {
        const Operation& op = each.operation;
        return std::tuple(op.iteration, each.priority, op.step, op.meeting);
      };
      return key(other) < key(*this);
    }
  };

  void decide_late();
  void hand_over_what_fits();
  void launch_what_may_run();
  void wake_when_free();

  ByPriority rule_;
  Dispatcher& dispatcher_;
  std::vector<Waiting> waiting_;       // a heap, the next one first
  std::deque<Operation> handed_over_;  // not running yet
  Bytes in_flight_{};                  // handed over or running
  std::size_t running_ = 0;
  Seconds free_from_{};   // the thread, where overheads take turns
  Seconds woken_at_{};    // for that
  bool decides_ = false;  // late in this instant
};

}  // namespace stepcast
