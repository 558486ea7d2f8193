#pragma once

#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"

// Where servers add up, messages to many of them are under way at once and share links: at `flow` a
// simulation takes from half a second to a dozen, at `analytic` some hundredths. What a search
// tries is then estimated at `analytic`, and only what promises most is simulated.

namespace stepcast {

/// By so much of a step an estimate may be too long (assumed).
inline constexpr double kEstimateError = 0.1;

/// What a simulation costs: with more tasks there are more messages at a time, too.
constexpr double simulated_work(std::size_t tasks) {
  return static_cast<double>(tasks) * static_cast<double>(tasks);
}

/// So much of it a search for fusions and cuts may take, which is some ten seconds.
inline constexpr double kMostSimulatedWork = 24e6;

/// And a search down one way that simulates all that it tries: some twenty seconds.
inline constexpr double kMostDescentWork = 60e6;

/// Whether the steps of a plan are simulated fast enough for that: fifty candidates at least.
constexpr bool pays_to_simulate_all(std::size_t tasks) {
  constexpr double kCandidates = 50;
  return simulated_work(tasks) * kCandidates < kMostDescentWork;
}

/// Whether candidates of a plan are estimated before they are simulated. Not at `analytic`, which
/// is the estimate, nor where communications go one way on a stream each (sums of gradients on one,
/// parameters on another): these seldom meet, and a simulation takes milliseconds.
bool pays_to_estimate(const Plan& plan, const EngineOptions& engine);

/// The same job at the fidelity of estimates.
EngineOptions estimating(EngineOptions engine);

}  // namespace stepcast
