#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo ddp_schedule();

}  // namespace stepcast
