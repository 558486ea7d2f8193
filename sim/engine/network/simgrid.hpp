#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>

#include "sim/engine/network/platform.hpp"
#include "sim/engine/network/wire.hpp"
#include "sim/timeline/engine_use.hpp"

namespace stepcast {

/// What the engine needs of SimGrid. The library takes .03 s to load, for ns-3 and eleven others
/// behind it, so that all that calls it is a module of its own (sim/engine/simgrid), which is
/// loaded by the first simulation that runs on SimGrid or whose flows meet. One process has one
/// engine and simulates once with it (see SimulationProcess).
class SimGrid {
 public:
  struct Moving;  ///< Flows under way that were started as one.

  virtual ~SimGrid() = default;

  /// The clock starts at 0 and goes on to `time` exactly, which is not in the past. Neither flows
  /// nor timers may be left.
  virtual void advance_to(double time) = 0;
  virtual double clock() const = 0;

  /// Runs until neither timers nor flows are left.
  virtual void run() = 0;

  /// A timer for an absolute date of clock(), which is not in the past.
  virtual void* set_timer(double date, std::function<void()> action) = 0;
  virtual void remove_timer(void* timer) = 0;

  /// Makes the engine of this process with its platform, which is that of `cluster`. Once, before
  /// anything else but version().
  virtual const Platform& make_platform(const Cluster& cluster) = 0;
  virtual const Platform& platform() const = 0;

  /// Moves `each` from one host to another for each of `count` flows, which share links as so many
  /// do, and then calls listener.flow_arrived(tag) once. The listener must outlive them.
  /// Precondition: at most kLargestMessage each.
  virtual Moving* start_flows(simgrid::s4u::Host* from, simgrid::s4u::Host* to, Bytes each,
                              std::uint32_t count, FlowListener& listener, std::uint32_t tag) = 0;

  /// What each of more than one has still to move; they arrive at once, as if it were nothing.
  virtual Bytes stop_flows(Moving& flows) = 0;

  /// Flows and timers that were started so far.
  virtual std::uint64_t activities() const = 0;

  /// Of the library that is loaded.
  virtual SimGridVersion version() const = 0;
};

/// SimGrid, loaded at the first call. Throws SimulationError if it cannot be.
SimGrid& simgrid_module();

/// SimGrid with the platform of `cluster` for the simulation that runs, which goes on in a process
/// of its own from here on: see SimulationProcess::enter().
SimGrid& simgrid_for(const Cluster& cluster);

/// Sizes are carried in whole units of 2^-20 bytes.
inline constexpr double kUnitsPerByte = 1048576.0;

/// At least one: nothing takes no time there.
inline Bytes in_whole_units(Bytes size) {
  return Bytes{std::max(1.0, std::round(size.value * kUnitsPerByte)) / kUnitsPerByte};
}

/// What the module has: the function of this name makes its SimGrid, once per process; null where
/// the program or SimGrid's library is of another version. Lines of SimGrid's log go to `log`, with
/// their priority.
using LogLine = void (*)(std::string_view priority, std::string_view message);
using MakeSimGrid = SimGrid* (*)(const char* version, LogLine log);
inline constexpr const char* kMakeSimGrid = "stepcast_make_simgrid";

}  // namespace stepcast
