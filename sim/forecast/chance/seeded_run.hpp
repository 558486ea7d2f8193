#pragma once

#include "sim/engine/engine.hpp"
#include "sim/forecast/chance/seeds.hpp"

namespace stepcast {

/// A simulation, or many where there is chance.
struct SeededRun {
  Timeline timeline;
  SeedSpread spread;
};

/// Simulates a plan: once where nothing is drawn, else for every seed `engine.iterations`
/// iterations (20 if that is 0). Of all the iterations of all seeds the timeline then shows the
/// longest that takes no longer than their mean, and has the mean as its mean. `plan` changes as in
/// simulate_steps(), and where there is chance. Throws as simulate().
SeededRun simulate_seeds(Plan& plan, const Cluster& cluster, const EngineOptions& engine,
                         const Chance& chance);

}  // namespace stepcast
