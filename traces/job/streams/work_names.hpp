#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/network/collective_kind.hpp"
#include "traces/job/streams/stream_timeline.hpp"

namespace stepcast {

/// What a kernel or operator does, as far as its name tells: NCCL's kernels, BytePS's,
/// TensorFlow's and MXNet's operations are transfers; "gradient_tape/..", "..Backprop..",
/// "_backward_.." backward passes; "ResourceApply..", "sgd_update" updates; copies neither; all
/// else is forward.
StreamWork work_by_name(const std::string& name);

/// The kind of collective that a name tells; of a push or pull of servers an all-reduce's.
std::optional<CollectiveKind> collective_by_name(std::string_view name);

}  // namespace stepcast
