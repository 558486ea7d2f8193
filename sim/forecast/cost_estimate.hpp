#pragma once

#include <string>

#include "models/base/units.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// What simulating a plan is going to take.
struct CostEstimate {
  Bytes memory{};
  Seconds time{};
};

/// From counts of tasks, ranks and messages, before anything is simulated: within a factor of about
/// three.
CostEstimate cost_estimate(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// Of that memory what is known to be needed: messages, which are counted.
Bytes least_memory(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// "about 7.5 GiB and 40 s"
std::string in_words(const CostEstimate& estimate);

}  // namespace stepcast
