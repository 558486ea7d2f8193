#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo mg_wfbp_schedule();
ScheduleInfo asc_wfbp_schedule();

}  // namespace stepcast
