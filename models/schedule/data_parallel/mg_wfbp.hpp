#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo mg_wfbp_schedule();
ScheduleInfo asc_wfbp_schedule();

}  // namespace stepcast
