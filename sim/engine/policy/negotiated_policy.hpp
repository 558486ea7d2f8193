#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/engine/policy/dispatch_policy.hpp"

namespace stepcast {

/// Phases of a negotiated stream's cycle that iterations take in turn: the steady state has this
/// period. Chosen, by comparing 1, 4, 8 and 16: how far more bandwidth or a slower rank can still
/// move the mean the wrong way falls with the number, and the cost of a simulation grows with it.
inline constexpr std::uint32_t kPhases = 8;

/// Horovod's background thread, cycle by cycle (operations.cc and controller.cc of 0.21,
/// RunLoopOnce and PerformOperation): all ranks agree on the tensors that all have announced and
/// fuse them in that order up to the fusion buffer; the thread waits until a buffer's data are
/// there, hands it over (copy in, collective, copy out) and turns to the next. It does not wait for
/// what it handed over: a finalizer thread does, and buffers follow one another on one NCCL stream.
/// Then the thread sleeps for what is left of `cycle` since the cycle began, if anything, and goes
/// on with the next, also where nothing is announced.
///
/// The phase of its cycles against a tensor that is announced at r is arbitrary in life. If a step
/// always met the same one, it would lock to multiples of the cycle, and tensors that just catch a
/// cycle, or just miss it, would decide the step: faster links could make it longer. So iterations
/// take kPhases phases u, evenly spread over 0 .. 1, in turn, and what counts is their mean. A
/// tensor waits u cycles, but for a thread that works beyond that: the next cycle begins at
/// max(e, r + u cycle), where e is when the thread is ready for it and r that of the first tensor.
/// That is never earlier for a later r or e, and takes a lone tensor half a cycle on average.
///
/// Cost: an event for each cycle in which something is announced, O(tensors of it); a simulation
/// takes nine or ten iterations where others take two or three.
class NegotiatedPolicy : public DispatchPolicy {
 public:
  NegotiatedPolicy(const Negotiated& rule, Dispatcher& dispatcher)
      : rule_(rule), dispatcher_(dispatcher) {}
  void ready(Operation operation) override;
  void announced(Operation operation) override;
  void finished(Operation operation) override;
  void wake() override;

 private:
  using Buffer = std::vector<Operation>;
  enum class Thread { Asleep, Due, Negotiating, Performing };

  void begin_cycle();
  void negotiate();
  void perform();
  void fuse(const std::vector<Operation>& agreed);
  void launch_next();

  Negotiated rule_;
  Dispatcher& dispatcher_;
  Thread thread_ = Thread::Asleep;
  std::vector<Operation> waiting_;      // announced, for the next cycle
  Seconds waiting_since_{};             // when the first of them was announced,
  Seconds newest_since_{-1};            // when the last of them was,
  std::size_t newest_ = 0;              // and the first that was then
  std::vector<Operation> negotiating_;  // of this cycle, until they are agreed on
  std::deque<Buffer> agreed_;           // of this cycle, whose data are not there yet
  std::deque<Buffer> handed_over_;      // to the NCCL stream, not launched yet
  std::size_t running_ = 0;             // operations of the buffer that is communicated
  Seconds last_cycle_{-1e9};            // beginning of the last cycle
};

}  // namespace stepcast
