#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo bytescheduler_schedule();

}  // namespace stepcast
