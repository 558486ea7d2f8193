#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo delayed_schedule();
ScheduleInfo ideal_schedule();

}  // namespace stepcast
