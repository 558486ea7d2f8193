#pragma once

#include <string>

#include "traces/readers/rank_comparison.hpp"

namespace stepcast {

/// The ranks of a job as a table: clock offset, step, who waits for whom, stragglers; or why they
/// cannot be compared.
std::string render_ranks(const RankComparison& comparison);

}  // namespace stepcast
