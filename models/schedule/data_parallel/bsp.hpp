#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo bsp_schedule();

}  // namespace stepcast
