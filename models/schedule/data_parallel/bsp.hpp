#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo bsp_schedule();

}  // namespace stepcast
