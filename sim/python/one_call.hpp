#pragma once

namespace stepcast {

/// A call into the engine from Python. A process simulates one thing at a time, so that calls of
/// several threads come one after the other. While a call lasts Ctrl-C interrupts its simulation,
/// and asks a study of several processes to stop. Whoever makes one must hold the GIL; it is
/// released while the call waits for another.
///
/// Throws std::runtime_error in a process that was forked while another of its threads was in a
/// call: half a simulation came with it.
class OneCall {
 public:
  OneCall();
  ~OneCall();
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;

 private:
  bool handles_signals_ = false;
};

/// For the process, once: forks keep calls and the interpreter in order.
void prepare_for_forks();
/// From here on workers that a study forks while the GIL is released may call Python, as they do to
/// build a schedule that is written in it.
void let_workers_call_python();

}  // namespace stepcast
