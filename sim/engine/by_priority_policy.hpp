#pragma once

#include <vector>

#include "sim/engine/dispatch_policy.hpp"

namespace stepcast {

/// Of the ready operations the one with the lowest priority value starts first; more start while
/// the bytes in flight fit the credit (ByteScheduler, SOSP 2019). A running operation is not
/// pre-empted.
class ByPriorityPolicy : public DispatchPolicy {
 public:
  ByPriorityPolicy(const ByPriority& rule, Dispatcher& dispatcher)
      : rule_(rule), dispatcher_(dispatcher) {}
  void ready(Operation operation) override;
  void finished(Operation operation) override;

 private:
  void launch_what_fits();

  ByPriority rule_;
  Dispatcher& dispatcher_;
  std::vector<Operation> waiting_;  // the next one last
  Bytes in_flight_{};
  std::size_t running_ = 0;
};

}  // namespace stepcast
