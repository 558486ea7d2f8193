#pragma once

#include "sim/forecast/planned_run.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// The search for options and edits of a schedule whose simulations are dear: see
/// pays_to_estimate(). Fills `result` from memory_after on.
///
/// Options are searched by estimates, with each order of the servers by itself
/// (option_ways_by_estimate()), and from each of these ends the search for fusions and cuts goes
/// on: of plans whose steps are simulated fast, with cuts in two, all simulated, and where that
/// ends first with all cuts, too; of others by estimates (edit_step()). The shortest step counts.
/// `run`: the job's plan as it is. `memory`: what a GPU may hold, as that plan does; 0: no matter.
void search_option_ways(const ScheduledJob& job, const PlannedRun& run, Bytes memory,
                        EditedStep& result);

}  // namespace stepcast
