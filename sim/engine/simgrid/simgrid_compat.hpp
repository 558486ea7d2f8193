#pragma once
// Every SimGrid call that differs between 3.32 and later versions, and the ones whose traps need
// care. Nothing outside this folder calls SimGrid, and the program holds none of it: see SimGrid.

#include <cstdint>
#include <functional>
#include <string>

#include "models/base/units.hpp"
#include "sim/engine/network/simgrid.hpp"

namespace stepcast::simgrid_compat {

/// Creates SimGrid's engine, once per process, configured for plain max-min sharing: CM02,
/// crosstraffic:0, TCP-gamma:0. (Its defaults inflate a ring all-reduce by 40-50 %.)
void create_engine(LogLine log);

/// Whether the library that is loaded is of the version that this was compiled with.
bool is_as_compiled();

/// The clock shows exactly `time`, if that is not in the past and nothing is under way.
void advance_to(double time);

// As SimGrid has them:
double clock();
SimGridVersion version();
void run();
void* set_timer(double date, std::function<void()> action);
void remove_timer(void* timer);

/// SimGrid counts whole units, which is why link bandwidths are multiplied by kUnitsPerByte.
SimGrid::Moving* start_flows(simgrid::s4u::Host* from, simgrid::s4u::Host* to, Bytes each,
                             std::uint32_t count, FlowListener& listener, std::uint32_t tag);
Bytes stop_flows(SimGrid::Moving& flows);

}  // namespace stepcast::simgrid_compat
