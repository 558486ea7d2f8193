#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/timeline/blockers.hpp"
#include "sim/timeline/critical_path.hpp"

namespace stepcast {

/// The iteration explained to a planner, one sentence each: what the critical path is made of, then
/// what compute waited for longest (up to four sentences, none below half a per cent of the
/// iteration). What bounds it only a what-if can say: see bottleneck.hpp.
std::vector<std::string> explain(const Plan& plan, const Timeline& timeline, const Window& window,
                                 const std::vector<PathSegment>& path);

/// "forward of conv1 .. fc", `all-reduce "bucket 2"`, "101 all-reduces bn1 .. conv1", "idle", or
/// where a stream negotiates "cycle and negotiation of horovod".
std::string describe(const Plan& plan, const PathSegment& segment);

/// Several of them: "5 stretches: other compute 1.2 ms, broadcast 800 us".
std::string describe(const Plan& plan, std::span<const PathSegment> segments);

/// "rank 3", "ranks 0-2, 4-63", at most four ranges, then "...".
std::string ranks_of(const Timeline& timeline, std::span<const ClassId> classes);

}  // namespace stepcast
