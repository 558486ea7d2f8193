#pragma once

#include <string>

#include "sim/forecast/schedule_run.hpp"

namespace stepcast {

/// One forecast as an SVG document: where the step goes, what ran when in the steady iteration, how
/// busy the links are, and what the memory of a GPU holds. Of more than 48 lanes the first are
/// drawn and the title says so. An asynchronous schedule has no timeline of the steady iteration.
///
/// A pipeline is drawn for print: a row for each stage, with the passes of the steady iteration on
/// one of its ranks. Passes bear the number of their micro-batch where that fits; those of other
/// parts that a rank holds are lighter, and halves of backward passes, of inputs and of weights,
/// have colours of their own.
std::string run_figure(const ScheduleRun& run);

}  // namespace stepcast
