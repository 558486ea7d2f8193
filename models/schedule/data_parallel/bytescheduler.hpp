#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo bytescheduler_schedule();

}  // namespace stepcast
