#pragma once

#include "traces/readers/kineto/device_work.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Steps, time by category, collectives and overlap of a profiler trace.
TraceSummary summarize(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
