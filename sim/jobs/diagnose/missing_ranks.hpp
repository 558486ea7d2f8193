#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// Ranks of a job that are not recorded, as far as the traces tell that they exist.
struct MissingRanks {
  std::size_t expected = 0;        ///< Ranks that whole traces have.
  bool at_least = false;           ///< There are more, nobody knows how many.
  std::vector<std::string> names;  ///< "stage 3", "dp_rank 1", "stage 3, dp_rank 1", "ranks 4-7".

  bool any() const { return at_least || !names.empty(); }
};

MissingRanks missing_ranks(const Job& job);

/// Data-parallel groups of the whole job.
std::uint32_t data_groups(const Job& job);

/// What a table of operations has none of although its job must have had it, so that others' waits
/// for it look like delays of their hosts: "messages between stages", "backward passes", "forward
/// passes"; empty: nothing.
std::string missing_work(const Job& job);

/// Ranks of a table that ran none of the passes of which others did, into Job::ranks.
std::vector<std::uint32_t> ranks_without(const Job& job, JobWork pass);

/// "Of at least 8 ranks 6 are recorded; missing: stage 3."
std::string in_words(const MissingRanks& missing, std::size_t recorded);

}  // namespace stepcast
