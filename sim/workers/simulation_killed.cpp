#include "sim/workers/simulation_killed.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace stepcast {

SimulationKilled::SimulationKilled(int signal)
    : SimulationError(
          fmt::format("the process in which SimGrid simulates was ended by signal {} ({})", signal,
                      ::strsignal(signal))),
      signal_(signal) {}

bool SimulationKilled::is_crash() const {
  constexpr std::array kCrashes{SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  return std::ranges::find(kCrashes, signal_) != kCrashes.end();
}

}  // namespace stepcast
