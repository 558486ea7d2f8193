#pragma once

#include <functional>
#include <map>
#include <memory>

#include "models/network/cluster.hpp"
#include "models/network/slow_down.hpp"
#include "models/schedule/plan.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// How closely communication is replayed.
enum class Fidelity {
  Analytic,  ///< Collectives take closed forms; those under way at once share links coarsely.
  Flow,      ///< One flow per ring edge between nodes: concurrent traffic shares links.
  Step,      ///< Every message of the algorithm.
};

/// What carries the clock, the timers and the flows of a simulation above `Analytic`.
enum class EventEngine {
  Own,      ///< StepCast's clock. Where flows meet on a link, SimGrid moves them.
  SimGrid,  ///< SimGrid from the first event to the last.
  Auto,     ///< SimGrid as far as that costs little: see uses_simgrid(), simulate_times().
};

class DispatchPolicy;
class Dispatcher;

/// A policy of the caller's for a stream; null: what the stream's rule asks for.
using PolicyMaker = std::function<std::unique_ptr<DispatchPolicy>(StreamId, Dispatcher&)>;

struct EngineOptions {
  Fidelity fidelity = Fidelity::Flow;
  EventEngine engine = EventEngine::Own;
  std::map<Rank, double> stragglers;  ///< Factor on the compute times of a rank; default 1.
  bool fold = true;                   ///< Simulate one rank for each class of equal ranks.
  bool merge_compute = true;  ///< Run compute between two communication points as one event.
  std::uint32_t max_iterations = 64;  ///< Give up looking for the steady state after so many.
  std::uint32_t iterations = 0;  ///< Run so many, steady or not; 0: until the steady state shows.
  SlowDown slow_down{};          ///< On top of stragglers; where it is chance, give `iterations`.
  PolicyMaker policy{};
};

/// Repeats the plan's iteration on the cluster until the steady state shows, or as often as asked
/// for, and returns what happened in it. Every task has its own interval whether merged or not.
///
/// Throws InputError if a straggler is no rank of the cluster, SimulationError if a task can never
/// start (the message names it and what it waits for). May be called any number of times in a
/// process, by one thread; the result does not depend on what was simulated before, to the bit.
Timeline simulate(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// Returns whether a simulation runs on SimGrid: where the engine is to be chosen, at `flow` up to
/// 1,000 ranks, as a flow costs 2 to 3 us there and .1 us on the own clock. Not at `step`, where
/// every message is a flow (kaisa on 16 GPUs: 28 s instead of 1), and never at `analytic`, which
/// has none.
bool uses_simgrid(EventEngine engine, Fidelity fidelity, std::uint32_t ranks);

const char* name_of(Fidelity fidelity);
const char* name_of(EventEngine engine);

}  // namespace stepcast
