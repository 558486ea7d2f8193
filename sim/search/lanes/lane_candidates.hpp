#pragma once

#include <string>
#include <vector>

#include "sim/jobs/edits/editable_step.hpp"
#include "sim/search/accepted_edit.hpp"
#include "sim/search/lanes/lanes.hpp"

namespace stepcast {

/// A communication that may be fused with the one behind it, or cut.
struct LaneCandidate {
  EditKind kind = EditKind::Fuse;
  LanePlace place;
  std::uint32_t parts = 0;  ///< Of a cut: as best_parts() says.
  std::string text;         ///< Of a cut without the number of pieces.
  Seconds estimate{};       ///< What it gains at most.
};

/// Those on the critical path of the first graph, whose lanes these are, for which that may pay:
/// see edit_step().
std::vector<LaneCandidate> lane_candidates(const EditableStep& step, const GraphLanes& lanes,
                                           const TimedStep& now);

}  // namespace stepcast
