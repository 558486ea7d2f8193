#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo dear_schedule();

}  // namespace stepcast
