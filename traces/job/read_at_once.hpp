#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "traces/job/rank_timeline.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// The timelines of the ranks in a file, told by its number.
using TimelinesReader = std::function<std::vector<RankTimeline>(std::size_t file, ImportReport&)>;

/// Those of `count` files, in order, read by a thread a core, each with one trace in memory at a
/// time. Errors and tallies come in the order of the files, whoever was first.
std::vector<RankTimeline> read_at_once(std::size_t count, const TimelinesReader& read,
                                       ImportReport& report);

/// The same of files of one rank each.
using TimelineReader = std::function<RankTimeline(const TraceStream&, ImportReport&)>;
std::vector<RankTimeline> read_timelines(const std::vector<TraceStream>& files,
                                         const TimelineReader& read, ImportReport& report);

}  // namespace stepcast
