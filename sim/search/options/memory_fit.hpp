#pragma once

#include "sim/forecast/scenario.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// A schedule's plan, changed to fit into memory where it must.
struct FittedStep {
  Scenario scenario;  ///< With the workload of one pass.
  Plan plan;
  std::vector<EditRequest> edits;  ///< What else makes it fit: recomputation.
  std::string change;              ///< In words; empty: it fits as it is.
  Seconds step{};                  ///< Of the plan as it was, where it is changed.
  Bytes before{};                  ///< What a GPU held, and holds then.
  Bytes after{};
};

/// What a rank keeps of activations that it computes again in stretches of sqrt(n) layers: their
/// last outputs, and all of the largest stretch (Chen et al., 2016).
Bytes recomputed_activations(const Workload& workload);

/// The plan of the scenario's schedule within a budget: recomputation, or as many passes of a
/// smaller batch (2, 4, .. 64) as it takes, whichever is faster (Hu et al., dPRO, MLSys'22).
/// Throws InputError with what would be enough if neither fits.
FittedStep fitted_step(const Scenario& scenario, const std::string& schedule, Bytes budget);

}  // namespace stepcast
