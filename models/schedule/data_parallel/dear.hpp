#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo dear_schedule();

}  // namespace stepcast
