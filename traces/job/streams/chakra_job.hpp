#pragma once

#include "traces/job/rank_timeline.hpp"

namespace stepcast {

/// A rank's timeline from its Chakra graph (JSON or protocol buffers), all of it one step: the work
/// of its device. Computation is one stream and communication another. Where the graph holds no
/// starts, and most do not, everything begins as soon as what it waits for has ended and its stream
/// is free, which is counted as doubtful. Throws InputError.
RankTimeline read_chakra_timeline(const TraceStream& file, ImportReport& report);

}  // namespace stepcast
