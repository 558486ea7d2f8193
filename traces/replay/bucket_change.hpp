#pragma once

#include "models/base/units.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// The step with its gradients reduced in other buckets: one closes when it has reached `size`, as
/// DistributedDataParallel fills them. A new bucket may start when its last gradient is ready; what
/// waited for an old bucket waits for the new one that holds the old one's last byte. The host's
/// time for launching is left as recorded. Durations of the new collectives are unknown: the step
/// must be replayed with predicted collectives. Throws InputError if the gradients are not known.
RecordedStep with_buckets(const RecordedStep& step, Bytes size);

}  // namespace stepcast
