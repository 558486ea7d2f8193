#pragma once

#include <set>

#include "traces/readers/kineto/device_work.hpp"

namespace stepcast {

/// Groups of a part of the ranks that reduce in the forward pass: those share the model's layers
/// (tensor and sequence parallelism), and what they send are activations and their gradients.
/// Gradients of parameters are reduced in the backward pass alone.
std::set<GroupRanks> model_groups_of(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
