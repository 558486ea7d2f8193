#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/readers/kineto/layers/layer_times.hpp"

namespace stepcast {

/// What size_gradients() returns if every gradient's shape was known.
inline constexpr std::string_view kRecordedShapes = "recorded shapes";

/// Gives the gradients of each step their sizes, from the first of these that the trace holds: the
/// shapes that PyTorch recorded; the copies out of DistributedDataParallel's buckets, which are as
/// many as the gradients and in their order; the buckets themselves, one as a single gradient of
/// the layer whose backward pass came last before it. Returns which it was, for the provenance;
/// empty if sizes stay unknown (all gradients are then removed). Bytes become elements of the type
/// that gradient_type_of() finds.
std::string size_gradients(const KinetoTrace& trace, const KinetoView& view,
                           std::vector<StepLayers>& steps);

}  // namespace stepcast
