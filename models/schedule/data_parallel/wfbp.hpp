#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo wfbp_schedule();

}  // namespace stepcast
