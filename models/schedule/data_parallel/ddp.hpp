#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo ddp_schedule();

}  // namespace stepcast
