#pragma once

#include <string>
#include <vector>

#include "sim/forecast/scenario.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// Edits the step of a schedule that does not cut the model: makes it fit, searches its options
/// where no edit is asked for and it fits as it is, and goes on as edit_step() does. Fills `result`
/// from device_memory on.
void edit_schedule(Scenario scenario, const std::string& schedule, std::vector<EditRequest> asked,
                   bool search, Bytes budget, EditedStep& result);

}  // namespace stepcast
