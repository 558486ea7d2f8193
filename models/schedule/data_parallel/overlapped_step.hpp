#pragma once

#include <vector>

#include "models/schedule/passes.hpp"

namespace stepcast {

/// Every gradient by itself, in ready order.
std::vector<Bucket> bucket_of_each(const Workload& workload);

/// One iteration that overlaps communication with the backward pass: forward, backward, an
/// all-reduce of each bucket once its last gradient is ready, and one update when all are back.
void overlapped_step(Builder& builder, const std::vector<Bucket>& buckets,
                     CommunicationOptions options);

}  // namespace stepcast
