#pragma once

#include <string>

#include "sim/study/edits/step_search.hpp"
#include "sim/study/hybrid/hybrid_forecast.hpp"

namespace stepcast {

/// The scenario with those options of its schedule under which the step is shortest, of the same
/// samples: the partition of layers, recomputation, what copies share, warm-up, how messages are
/// cut, and, of a transformer, micro-batches. The layout stays (`plan` searches layouts), and so do
/// options that the user gave. See best_options().
HybridScenario with_best_options(const HybridScenario& scenario, Bytes memory, EditedStep& result);

/// A scenario whose GPUs hold no more than a budget.
struct FittedPipeline {
  HybridScenario scenario;
  std::string change;  ///< In words; empty: it fits as it is.
  Seconds step{};      ///< As it was; 0 where it fits.
  Bytes before{};      ///< What the fullest GPU held, and holds then.
  Bytes after{};
};

/// Of all combinations of recomputation, what copies share and, of a transformer, micro-batches
/// (but those that the user gave) that fit, the fastest, or that of those looked at when a signal
/// stops it. A budget of 0: as it is. Throws InputError with what would be enough if none fits.
FittedPipeline fitted_pipeline(const HybridScenario& scenario, Bytes budget);

/// Edits a pipeline's step: makes it fit, searches its options where no edit is asked for, and goes
/// on as edit_step() does. Fills `result` from memory_before on.
void edit_pipeline(const HybridScenario& scenario, const std::vector<EditRequest>& asked,
                   bool search, Bytes budget, EditedStep& result);

}  // namespace stepcast
