#pragma once

#include "models/schedule/option_info.hpp"

namespace stepcast {

/// Of all rows of measured cases: what would otherwise be the reason that leaves out each of them.
/// Throws InputError for an option that neither 1f1b nor interleaved has, or a bad value.
void check_case_options(const ScheduleOptions& options);

}  // namespace stepcast
