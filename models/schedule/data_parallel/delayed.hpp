#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo delayed_schedule();
ScheduleInfo ideal_schedule();

}  // namespace stepcast
