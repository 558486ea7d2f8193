#pragma once

#include <deque>
#include <vector>

#include "sim/engine/policy/dispatch_policy.hpp"

namespace stepcast {

/// Horovod's background thread, cycle by cycle: all ranks agree on the tensors that are ready
/// everywhere, fuse them in ready order up to the fusion buffer, and communicate buffer after
/// buffer: copy in, collective, copy out. The next cycle begins when that is done, and not before
/// `cycle` has passed since this one began.
///
/// The thread's clock runs freely, so a tensor that becomes ready after a pause waits between
/// nothing and one cycle; here it waits half a cycle, the mean, which keeps the forecast
/// deterministic.
class NegotiatedPolicy : public DispatchPolicy {
 public:
  NegotiatedPolicy(const Negotiated& rule, Dispatcher& dispatcher)
      : rule_(rule), dispatcher_(dispatcher) {}
  void ready(Operation operation) override;
  void finished(Operation operation) override;
  void wake() override;

 private:
  void begin_cycle(Seconds time);
  void negotiate();
  void communicate();
  void fuse(const std::vector<Operation>& agreed);
  void launch_next();

  Negotiated rule_;
  Dispatcher& dispatcher_;
  std::vector<Operation> waiting_;              // ready, for the next cycle
  std::vector<Operation> negotiating_;          // of this cycle, until they are agreed on
  std::deque<std::vector<Operation>> buffers_;  // of this cycle, not yet communicated
  std::size_t running_ = 0;                     // operations of the buffer that is communicated
  bool busy_ = false;                           // a cycle is under way or due
  Seconds last_cycle_{-1e9};                    // beginning of the last cycle
};

}  // namespace stepcast
