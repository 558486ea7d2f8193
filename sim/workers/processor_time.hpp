#pragma once

#include <sys/resource.h>

#include "models/base/units.hpp"

namespace stepcast {

/// Processor time that this process and all its descendants have used so far: those that have ended
/// and those that run, workers and the simulations of workers among them.
Seconds processor_time_of_all();

/// Sends SIGALRM to this process once `most` is used up by all of them together, at most a few
/// hundredths of a second later. A thread looks at the time. Returns false where none can be
/// started.
bool alarm_at_processor_time(Seconds most);

/// Whether a child that ended with this status, having used that much, was ended by the limit of
/// processor time (`ulimit -t`): by SIGXCPU, or by SIGKILL where the limit is a hard one.
bool ended_by_processor_time(int status, const rusage& used);

}  // namespace stepcast
