#pragma once
// The published K-FAC systems, one .cpp file each.

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo d_kfac_schedule();
ScheduleInfo mpd_kfac_schedule();
ScheduleInfo kaisa_schedule();
ScheduleInfo spd_kfac_schedule();
ScheduleInfo pad_kfac_schedule();
ScheduleInfo dp_kfac_schedule();

}  // namespace stepcast
