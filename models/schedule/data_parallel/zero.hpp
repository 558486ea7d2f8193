#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo zero_schedule();

}  // namespace stepcast
