#pragma once

#include <optional>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// The recorded all-reduces fused in order until a bucket closes at twice, four times .. the size
/// of the largest, up to all in one: of these the fastest. Replayed as optimise replays the recipe
/// bucket-size, with delays, on some usual steps; sizes that were not recorded take what a line
/// through those that were says. None: all are of one size, so that their start-up is not known,
/// none can be fused, or ranks are missing, for which they may have waited.
std::optional<LargerBuckets> larger_buckets(const Job& job);

}  // namespace stepcast
