#pragma once

#include <optional>
#include <set>

#include "traces/readers/kineto/device_work.hpp"

namespace stepcast {

/// Groups of a part of the ranks that reduce in the forward pass: those share the model's layers
/// (tensor and sequence parallelism), and what they send are activations and their gradients.
/// Gradients of parameters are reduced in the backward pass alone.
using ModelGroups = std::set<GroupRanks>;
ModelGroups model_groups_of(const KinetoTrace& trace, const KinetoView& view);

/// Whether the forward pass of its step launched the work: before the first node of the backward
/// graph began at `backward`, if there was one. Precondition: its launch is recorded.
bool is_launched_forward(const KinetoTrace& trace, const DeviceWork& work,
                         std::optional<Seconds> backward);

}  // namespace stepcast
