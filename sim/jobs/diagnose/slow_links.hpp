#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// What a group's transfers are compared with.
enum class UsualTransfer : std::uint8_t {
  Ideal,    ///< The ideal time of their kind, a median over all groups.
  Quickest  ///< The quickest group's median, where it is not the exception: most groups may be
            ///< slow.
};

/// Transfers that are slow again and again between the same ranks.
struct SlowLinks {
  std::string common;  ///< The rank or host that all of them have; empty: none.
  double ratio = 1;    ///< Of the slowest group's median to what is usual.
  double step = 0;     ///< Seconds: the step if they took usual times; 0: there are none.
};

/// Of groups of ranks whose median transfer of a kind takes more than `factor` times what is usual.
SlowLinks find_slow_links(const JobReplay& replay, double factor, UsualTransfer usual);

}  // namespace stepcast
