#pragma once

#include "models/schedule/registry.hpp"

namespace stepcast {

ScheduleInfo horovod_schedule();

}  // namespace stepcast
