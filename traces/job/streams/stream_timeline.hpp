#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/collective_kind.hpp"
#include "traces/job/rank_timeline.hpp"

namespace stepcast {

/// Work of a rank's device, of a profiler that notes neither launches nor dependencies.
struct StreamWork {
  SharedText step;                     ///< Told by its name; empty: outside of the steps.
  std::string stream;                  ///< Told by its name.
  TimelineWork work;                   ///< Its number of a stream is not yet filled in.
  std::optional<CollectiveKind> kind;  ///< Of a transfer.
};

/// Names of steps for work whose profiler marks none: a forward pass behind a backward pass or an
/// update begins the next one. Work that is no pass is of the step that it begins in. Puts the work
/// in order of its begin.
void name_steps_by_passes(std::vector<StreamWork>& works);

/// A rank's timeline. Who waits for whom is concluded: work runs in order of its stream, a transfer
/// waits for the last computation that had ended when it began, and computation for the last
/// transfer that ended while its own stream stood idle. A step begins where the one before ended.
/// Throws InputError, beginning with the record's origin, if no work is in a step.
RankTimeline timeline_of(RankRecord record, std::vector<StreamWork> works, ImportReport& report);

/// What a kernel or operator does, as far as its name tells: NCCL's kernels, BytePS's,
/// TensorFlow's and MXNet's operations are transfers; "gradient_tape/..", "..Backprop..",
/// "_backward_.." backward passes; "ResourceApply..", "sgd_update" updates; copies neither; all
/// else is forward.
StreamWork work_by_name(const std::string& name);

/// The kind of collective that a name tells; of a push or pull of servers an all-reduce's.
std::optional<CollectiveKind> collective_by_name(std::string_view name);

}  // namespace stepcast
