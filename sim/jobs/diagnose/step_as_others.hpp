#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// What of some ranks takes as long as others' does.
enum class AsOthers : std::uint8_t {
  All,          ///< Computation and transfers.
  Computation,  ///< Transfers stay as recorded.
};

/// The mean step in seconds, without delays, with the work of these ranks as that of the other
/// ranks of their stages, which do the same: of computation the mean of its kind, of transfers the
/// median, as ideal times are, but without these ranks' own. What no other does stays as recorded,
/// as does a transfer whose partners are not recorded. None: nobody else does anything that they
/// do.
std::optional<double> step_as_others(const JobReplay& replay,
                                     const std::vector<std::uint32_t>& ranks, AsOthers what);

}  // namespace stepcast
