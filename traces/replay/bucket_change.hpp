#pragma once

#include "models/base/units.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// When a bucket of gradients closes: as soon as it has reached its size. DistributedDataParallel
/// closes the first early, so that communication begins early.
struct BucketSizes {
  Bytes size{};
  Bytes first{1048576};  ///< Of the first bucket, if smaller.
};

/// The step with its gradients reduced in other buckets, filled in the order in which they became
/// ready. A new bucket may start when its last gradient is ready; what
/// waited for an old bucket waits for the new one that holds the old one's last byte. The host's
/// time for launching is left as recorded. Durations of the new collectives are unknown: the step
/// must be replayed with predicted collectives. Throws InputError if the gradients are not known.
RecordedStep with_buckets(const RecordedStep& step, const BucketSizes& sizes);

}  // namespace stepcast
