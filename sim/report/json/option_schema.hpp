#pragma once

#include <string>

namespace stepcast {

/// JSON Schema (draft-07) of the options of all schedules: an object for each, whose values are
/// texts as `--set` and experiment files take them. Written from the schedules' tables of options.
std::string option_schema();

}  // namespace stepcast
