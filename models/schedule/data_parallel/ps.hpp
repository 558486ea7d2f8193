#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo ps_schedule();

}  // namespace stepcast
