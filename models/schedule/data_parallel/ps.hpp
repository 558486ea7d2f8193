#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo ps_schedule();

}  // namespace stepcast
