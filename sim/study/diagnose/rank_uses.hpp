#pragma once

#include "sim/study/diagnose/diagnosis.hpp"
#include "sim/study/diagnose/job_replay.hpp"

namespace stepcast {

/// What each rank does in a step, without its slow-down.
std::vector<RankUse> rank_uses(const JobReplay& replay);

/// What the critical path over all ranks consists of, a step on average.
struct PathOverRanks {
  std::vector<double> by_rank;  ///< Seconds.
  std::vector<double> by_kind;
  double changes = 0;  ///< From one rank to another.
};

/// Followed back from the end of each step, as replayed without delays: from an operation that met
/// others to the one that arrived last, from any other to what ended last of what it waited for.
PathOverRanks path_over_ranks(const JobReplay& replay);

}  // namespace stepcast
