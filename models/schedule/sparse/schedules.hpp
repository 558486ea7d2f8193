#pragma once
// Systems that send compressed gradients, one .cpp file each (or a family).

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

ScheduleInfo topk_allgather_schedule();
ScheduleInfo dgc_schedule();
ScheduleInfo sidco_schedule();
ScheduleInfo dct_schedule();
ScheduleInfo topka2a_schedule();
ScheduleInfo topk_dsa_schedule();
ScheduleInfo gtopk_schedule();
ScheduleInfo ok_topk_schedule();
ScheduleInfo omgs_schedule();
ScheduleInfo powersgd_schedule();
ScheduleInfo acp_sgd_schedule();

}  // namespace stepcast
