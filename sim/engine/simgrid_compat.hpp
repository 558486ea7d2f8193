#pragma once
// Every SimGrid call that differs between 3.32 and later versions, and the ones whose traps need
// care. Nothing outside sim/engine/simgrid_compat.cpp and platform.cpp includes a SimGrid header.

#include <cstdint>
#include <functional>
#include <string>

#include "models/base/units.hpp"

namespace simgrid::s4u {
class Host;
}

namespace stepcast {

/// Told when a flow has arrived.
class FlowListener {
 public:
  virtual ~FlowListener() = default;
  virtual void flow_arrived(std::uint32_t tag) = 0;
};

namespace simgrid_compat {

/// Creates SimGrid's engine, once per process, configured for plain max-min sharing: CM02,
/// crosstraffic:0, TCP-gamma:0. (Its defaults inflate a ring all-reduce by 40-50 %.)
void ensure_engine();

/// Deletes the engine with its platform and creates another one. Nothing may be in flight.
void restart_engine();

/// Sets the clock to zero, so that a simulation gives the same bits whatever the process simulated
/// before: where the clock stands shows in the rounding of a flow's end. Neither flows nor timers
/// may be left. Does nothing with a SimGrid that hides its clock.
void reset_clock();

double clock();

/// Of the library that is loaded: "3.32" or "3.32.1".
std::string version();

/// Runs until neither timers nor flows are left.
void run();

/// A timer for an absolute date of clock(), which is not in the past.
void* set_timer(double date, std::function<void()> action);
void remove_timer(void* timer);

/// Moves `size` from one host to another and then calls listener.flow_arrived(tag). The listener
/// must outlive the flow. Sizes are carried in units of 2^-20 bytes (SimGrid counts whole units),
/// which is why link bandwidths are multiplied by kUnitsPerByte.
void start_flow(simgrid::s4u::Host* from, simgrid::s4u::Host* to, Bytes size,
                FlowListener& listener, std::uint32_t tag);

inline constexpr double kUnitsPerByte = 1048576.0;

}  // namespace simgrid_compat
}  // namespace stepcast
