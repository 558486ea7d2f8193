#pragma once

#include "traces/readers/kineto/device_work.hpp"

namespace stepcast {

/// Says which step work without a recorded launch belongs to. Precondition: the view's work is in
/// order of its start.
///
/// Work before the first launched work of its stream was launched before the profile: it belongs to
/// no recorded step, unless the trace holds one step only, which then is the only one that it can
/// belong to. Later work belongs to the step of the launched work before it on its stream; on a
/// stream without launched work, to that of the launched work before it on any.
void place_unlaunched_work(const KinetoTrace& trace, KinetoView& view);

}  // namespace stepcast
