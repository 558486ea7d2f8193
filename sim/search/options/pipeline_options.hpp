#pragma once

#include <string>
#include <vector>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// A scenario with options of its schedule that were found for it.
struct FoundOptions {
  HybridScenario scenario;
  std::vector<std::string> notes;
};

/// Makes a scenario fit and, with `search`, its step short, of the same samples: the partition of
/// layers, recomputation, what copies share, sequence parallelism, warm-up, how messages are cut,
/// and, of a transformer, micro-batches, unless the user gives their order. The layout stays
/// (`plan` searches layouts), and so do options that the user gave.
///
/// What does not fit into the budget takes fitted_options() first; best_options() goes on from
/// there within it, and may choose all anew. Budget: memory_limit(). Without one that is asked for
/// only a search has one, and a step that cannot fit may hold what it holds. Throws InputError with
/// what would be enough where none fits into what is asked for. Fills memory_before, options and,
/// as best_options() does, what else it finds.
FoundOptions with_found_options(const HybridScenario& scenario, Bytes asked, bool search,
                                EditedStep& result);

/// Edits a pipeline's step: makes it fit, searches its options where no edit is asked for, and goes
/// on as edit_step() does. Fills `result` from device_memory on.
void edit_pipeline(const HybridScenario& scenario, const std::vector<EditRequest>& asked,
                   bool search, Bytes budget, EditedStep& result);

}  // namespace stepcast
