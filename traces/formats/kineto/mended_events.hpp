#pragma once

#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

/// Ends device work where the next work of its stream begins. A stream runs one piece of work after
/// the other, so that a longer duration is a fault of the profiler's buffer; overlaps of less than
/// 2 us are its rounding. The cuts are counted. Nothing is cut where work does not note its stream,
/// or where it ran in a CUDA graph, whose branches overlap on the stream of the launch.
/// Costs a sort of the device work.
void end_work_before_next(KinetoTrace& trace, ImportReport& report);

/// Removes the events that start more than a day from the median start, as of a damaged number: one
/// of them would stretch the trace, and the step it lies in, over years. They are counted.
void drop_far_events(KinetoTrace& trace, ImportReport& report);

}  // namespace stepcast
