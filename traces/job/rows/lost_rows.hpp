#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "traces/job/rows/odd_rows.hpp"

namespace stepcast {

/// What an operation of a rank is, the same in each step: type, sequence, micro-batch, chunk.
using RowIdentity = std::tuple<std::uint16_t, std::uint32_t, std::int32_t, std::uint16_t>;

RowIdentity row_identity(const TypedOperation& row);

/// The rows of a rank in a step, by the number of their identity; null: not there.
struct RankRows {
  std::uint32_t rank = 0;  ///< Into Job::ranks.
  std::int64_t step = 0;
  std::vector<const JobOperation*> rows;
  std::vector<std::uint32_t> lost;  ///< Identities.
  bool too_few = false;             ///< Are there for the others to tell when these ran.
};

/// What the ranks of a stage run, step by step.
struct StageRows {
  std::vector<RowIdentity> identities;
  std::vector<RankRows> cells;  ///< By step, then rank.
};

/// By stage, with what is lost: what most ranks of the stage run in most steps, if half of the
/// ranks (of all stages) that usually run such have it in the step. Too few are there where these
/// are less than half of a rank's rows: it recorded no more. Rows must outlive the result.
std::map<std::uint32_t, StageRows> stage_rows(const RowsByStep& rows,
                                              const std::vector<JobRank>& ranks,
                                              const std::vector<OperationType>& types);

}  // namespace stepcast
