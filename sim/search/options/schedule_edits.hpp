#pragma once

#include <vector>

#include "sim/forecast/scheduled_job.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// Edits the step of a schedule: makes it fit, searches its options where no edit is asked for
/// (of a schedule that does not cut the model only where it fits as it is), and goes on as
/// edit_step() does. Fills `result` from device_memory on.
void edit_schedule(const ScheduledJob& job, std::vector<EditRequest> asked, bool search,
                   Bytes budget, EditedStep& result);

}  // namespace stepcast
