#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo zero_schedule();

}  // namespace stepcast
