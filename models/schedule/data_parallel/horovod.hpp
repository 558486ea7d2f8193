#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo horovod_schedule();

}  // namespace stepcast
