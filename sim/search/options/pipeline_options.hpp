#pragma once

#include "sim/search/options/memory_fit.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// Makes a job of a schedule that cuts the model fit and, with `search`, its step short, of the
/// same samples: the partition of layers, recomputation, what copies share, sequence parallelism,
/// warm-up, how messages are cut, and, of a transformer, micro-batches, unless the user gives their
/// order. The layout stays (`plan` searches layouts), and so do options that the user gave.
///
/// What does not fit into the budget takes fitted_options() first; best_options() goes on from
/// there within it, and may choose all anew. Budget: memory_limit(). Without one that is asked for
/// only a search has one, and a step that cannot fit may hold what it holds. Throws InputError with
/// what would be enough where none fits into what is asked for. Fills options and, as
/// best_options() does, what else it finds.
FoundJob with_found_options(const ScheduledJob& job, Bytes asked, bool search, EditedStep& result);

}  // namespace stepcast
