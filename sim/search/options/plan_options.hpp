#pragma once

#include "sim/search/options/option_space.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// The options under which the step is shortest. Adds what it accepts to `result`, and fills it
/// from step_before on.
///
/// One option after the other takes each of its values and keeps the best; it ends when a round
/// over all gains less than 0.1 %. A value must gain 0.01 % of the step, and one that no longer
/// does in the end is taken back: what was changed and changed back is not told. `memory`: what a
/// GPU may hold, as the plan that it begins with does; 0: no matter.
ScheduleOptions best_options(OptionSteps& steps, const ScheduleOptions& begin, Bytes memory,
                             EditedStep& result);

/// What a search may fill of a GPU: what is asked for, or else what the device has, and never more
/// than that; 0: not known.
Bytes memory_limit(Bytes asked, const Cluster& cluster);

/// Notes a step that does not fit into its device.
void note_memory(EditedStep& result);

/// Returns the options of a schedule that does not cut the model under which its step is shortest:
/// the sizes in which gradients travel (partitions, buckets, buffers) and the order in which
/// servers take them (by priority: P3), as best_options() finds them. `run`: the job's plan as it
/// is. A round costs 11 simulations for each size.
ScheduleOptions best_options_of(const ScheduledJob& job, const PlannedRun& run, Bytes memory,
                                EditedStep& result);

}  // namespace stepcast
