#pragma once

#include <cstddef>
#include <vector>

#include "traces/job/rows/odd_rows.hpp"

namespace stepcast {

struct RestoredRows {
  std::size_t restored = 0;
  std::size_t lost = 0;  ///< That stay so; passes are counted by doubt_missing_passes().
};

/// Puts back the rows that are lost (stage_rows() says which), and doubts each.
///
/// When one began and ended its rank's other rows tell: of those next to it in the order of the
/// step that whose distance to it varies least over the rank's steps (too few: over all ranks of
/// its stage); the median distance counts. How long passes of its kind took the rank in the step
/// tells, too, if that varies less. Without three such steps it stays lost.
RestoredRows restore_rows(RowsByStep& rows, const std::vector<JobRank>& ranks,
                          const std::vector<OperationType>& types, ImportReport& report);

}  // namespace stepcast
