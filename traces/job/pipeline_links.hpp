#pragma once

#include <cstdint>
#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/operation_types.hpp"

namespace stepcast {

/// A step of a pipelined job before its operations are linked.
struct UnlinkedStep {
  JobStep step;
  std::vector<std::uint16_t> types;  ///< Of each operation, into the job's types.
};

/// What of a step could not be linked.
struct Unlinked {
  std::size_t alone = 0;  ///< Operations that should meet others and met nobody.
  /// Messages of a kind of which a rank's passes explain none.
  std::size_t without_passes = 0;
};

/// Joins the operations of a step in meetings and adds the edges within each rank.
///
/// A rank computes on one stream, runs collectives on another and messages on one for each
/// direction. Beside the order of each stream: a pass waits for the message that brings its input
/// and a message for the pass that makes what it sends; the first passes of a chunk wait for its
/// parameters; a collective waits for the computation that was over when it began, and what
/// computes outside the passes for the collective that was over. An edge that the recording
/// contradicts is left out.
///
/// Messages are told by the sequence numbers that they share with passes; of interleaved pipelines
/// by micro-batch and chunk, where there are as many as passes; collectives by group and sequence
/// number.
Unlinked link_pipeline(UnlinkedStep& unlinked, const Job& job,
                       const std::vector<OperationType>& types);

}  // namespace stepcast
