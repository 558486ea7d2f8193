#pragma once

#include <string>
#include <vector>

#include "sim/forecast/scheduled_job.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// Options that were found for a job, and what there is to say of them.
struct FoundOptions {
  ScheduleOptions options;
  std::vector<std::string> notes;
};

/// Makes a job fit and, with `search`, its step short, of the same samples: the partition of
/// layers, recomputation, what copies share, sequence parallelism, warm-up, how messages are cut,
/// and, of a transformer, micro-batches, unless the user gives their order. The layout stays
/// (`plan` searches layouts), and so do options that the user gave.
///
/// What does not fit into the budget takes fitted_options() first; best_options() goes on from
/// there within it, and may choose all anew. Budget: memory_limit(). Without one that is asked for
/// only a search has one, and a step that cannot fit may hold what it holds. Throws InputError with
/// what would be enough where none fits into what is asked for. Fills memory_before, options and,
/// as best_options() does, what else it finds.
FoundOptions with_found_options(const ScheduledJob& job, Bytes asked, bool search,
                                EditedStep& result);

/// Edits a pipeline's step: makes it fit, searches its options where no edit is asked for, and goes
/// on as edit_step() does. Fills `result` from device_memory on.
void edit_pipeline(const ScheduledJob& job, const std::vector<EditRequest>& asked, bool search,
                   Bytes budget, EditedStep& result);

}  // namespace stepcast
