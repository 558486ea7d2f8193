#pragma once

#include "traces/readers/kineto/kineto_trace.hpp"

namespace stepcast {

/// Removes the events that start more than a day from the median start, as of a damaged number: one
/// of them would stretch the trace, and the step it lies in, over years. They are counted.
void drop_far_events(KinetoTrace& trace, ImportReport& report);

}  // namespace stepcast
