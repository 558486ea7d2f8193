#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo wfbp_schedule();

}  // namespace stepcast
