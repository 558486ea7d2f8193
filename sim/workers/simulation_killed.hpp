#pragma once

#include "models/base/error.hpp"

namespace stepcast {

/// A simulation's process was ended by a signal: by the kernel where memory ran out, by a user, or
/// by a crash. The signal ends no process but that one, so that a Python interpreter outlives it.
class SimulationKilled : public SimulationError {
 public:
  explicit SimulationKilled(int signal);
  int signal() const { return signal_; }
  /// Whether the signal tells of a fault of the program (SIGSEGV, SIGABRT ...), not of its machine.
  bool is_crash() const;

 private:
  int signal_;
};

}  // namespace stepcast
