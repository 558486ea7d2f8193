#pragma once

#include <span>
#include <string>

#include "traces/readers/rank_record.hpp"

namespace stepcast {

/// Why the records cannot be those of the ranks of one job; empty if they can. The line begins with
/// the file that is wrong and names the one that it contradicts: two of the same rank, another
/// number of ranks or of steps, or the same recording twice; or a rank beyond the job's. What a
/// trace does not tell is no contradiction, but for the number of ranks: files of one job all tell
/// it or none does.
std::string why_not_one_job(std::span<const RankRecord> records);

}  // namespace stepcast
