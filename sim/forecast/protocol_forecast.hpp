#pragma once

#include <string>
#include <vector>

#include "models/schedule/decentralised/peer_graph.hpp"
#include "sim/asynchronous/world.hpp"
#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// The graph that a run of the schedule makes first, before it is made.
PeerGraphSize graph_size_of(const Scenario& scenario, const std::string& schedule);

/// What a run of the schedule simulates, before it does.
struct ProtocolWork {
  std::uint32_t workers = 1;
  std::uint32_t iterations = 1;  ///< Of a worker: those asked for, else whole periods.
  std::uint32_t seeds = 1;       ///< 0: as many as it takes.
  bool draws = false;
  bool has_recursion = false;  ///< Which yields the times of a seed much faster than its events.
  bool shares_links = false;   ///< Messages are flows over links, as they come.
  Seconds iteration{};         ///< That simulating an iteration of all workers takes.
};

/// Its graph is made for that.
ProtocolWork work_of(const Scenario& scenario, const std::string& schedule);

/// A run-time schedule of the scenario: its steady state, or the first iterations that are asked
/// for; mean, P50 and P95 over seeds where anything is drawn, by
/// recursion where the protocol has one and the fidelity is analytic, else event by event; what it
/// reports beside times is that of the first seeds. Throws as the protocol does.
ScheduleRun protocol_run(const Scenario& scenario, const std::string& schedule);

/// The mean iteration time alone.
Seconds protocol_step(const Scenario& scenario, const std::string& schedule);

/// What the workers did in the first iterations of seed 0, as Chrome trace JSON for Perfetto: a row
/// for each worker.
std::string protocol_trace(const Scenario& scenario, const std::string& schedule);

}  // namespace stepcast
