#pragma once

#include <string>
#include <vector>

#include "sim/study/diagnose/job_replay.hpp"

namespace stepcast {

/// Transfers that are slow again and again between the same ranks.
struct SlowLinks {
  std::string common;  ///< The rank or host that all of them have; empty: none.
  double ratio = 1;    ///< Of the slowest group's median to its kind's.
  double step = 0;     ///< Seconds: the step if they took their ideal times; 0: there are none.
};

/// Of groups of ranks whose median transfer of a kind takes more than `factor` times the median
/// over all groups.
SlowLinks find_slow_links(const JobReplay& replay, double factor);

}  // namespace stepcast
