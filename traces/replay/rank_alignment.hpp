#pragma once

#include <string>
#include <vector>

#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// A collective's kernel on one rank also waits for the slower ranks; on the rank that came last it
/// only communicates. Sets the duration of each collective of `steps`, the first rank's, to the
/// shortest that a rank of its group recorded for it. Throws InputError, beginning with `origin`
/// and naming `first`, the first rank's file, if the other rank's collectives are not those of the
/// first: it belongs to another job.
void take_shortest_collectives(std::vector<RecordedStep>& steps,
                               const std::vector<RecordedStep>& other_rank,
                               const std::string& origin, const std::string& first);

}  // namespace stepcast
