#pragma once
// Every SimGrid call that differs between 3.32 and later versions, and the ones whose traps need
// care. Nothing outside this folder calls SimGrid, and the program holds none of it: see SimGrid.

#include <cstdint>
#include <functional>
#include <string>

#include "models/base/units.hpp"
#include "sim/engine/network/simgrid.hpp"

namespace simgrid::s4u {
class NetZone;
}

namespace stepcast::simgrid_compat {

/// Creates SimGrid's engine, once per process, configured for plain max-min sharing: CM02,
/// crosstraffic:0, TCP-gamma:0. (Its defaults inflate a ring all-reduce by 40-50 %.)
void create_engine(LogLine log);

/// Deletes the engine with its platform and creates another one. Nothing may be in flight.
void restart_engine();

/// Another thread than the last one simulates from here on. Throws SimulationError where SimGrid
/// cannot.
void take_into_this_thread();

// As SimGrid has them:
void set_clock(double time);
double clock();
std::string version();
void run();
void* set_timer(double date, std::function<void()> action);
void remove_timer(void* timer);

/// A new zone of hosts that each has links of its own, in the engine that there is.
simgrid::s4u::NetZone* new_star_zone(const std::string& name);

/// The platform's network, which start_flows() needs to know from then on.
void set_network(simgrid::s4u::NetZone& zone);

/// SimGrid counts whole units, which is why link bandwidths are multiplied by kUnitsPerByte.
SimGrid::Moving* start_flows(simgrid::s4u::Host* from, simgrid::s4u::Host* to, Bytes each,
                             std::uint32_t count, FlowListener& listener, std::uint32_t tag);
Bytes stop_flows(SimGrid::Moving& flows);
bool weighs_flows();

}  // namespace stepcast::simgrid_compat
