#pragma once

#include <vector>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// What the critical path over all ranks consists of, a step on average.
struct PathOverRanks {
  std::vector<double> by_rank;  ///< Seconds.
  std::vector<double> by_kind;
  double changes = 0;                  ///< From one rank to another.
  std::size_t step = 0;                ///< The one whose time is nearest to the mean.
  std::vector<PathStretch> stretches;  ///< Of that step: work of one part on one rank at a time,
                                       ///< the longest first, at most 24.
};

/// Followed back from the end of each step, as replayed without delays: from an operation that met
/// others to the one that arrived last, from any other to what ended last of what it waited for.
PathOverRanks path_over_ranks(const JobReplay& replay);

}  // namespace stepcast
