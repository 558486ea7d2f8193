#pragma once

#include <string_view>

#include "traces/job/rank_timeline.hpp"

namespace stepcast {

/// Whether the text begins as the Chrome JSON of TensorFlow's or MXNet's profiler does: with
/// processes named after devices ("/device:GPU:0", "gpu/0").
bool is_framework_profile(std::string_view head);

/// A rank's timeline from the Chrome JSON of TensorFlow's profiler (trace.json.gz, or the older
/// timeline of a session's run) or MXNet's: the work of its GPU's streams; without a GPU that of
/// its processor. TensorFlow marks steps (its thread "Steps"); else a forward pass behind a
/// backward pass or an update begins one. What work does follows from its names. The tensor and
/// size of a collective are not in it. Throws InputError.
RankTimeline read_framework_profile(const TraceStream& file, ImportReport& report);

}  // namespace stepcast
