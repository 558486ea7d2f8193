#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/collective_kind.hpp"

namespace stepcast {

/// A collective as one rank recorded it. Times are since RankRecord::first_time_us.
struct RankCollective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Bytes size{};                           ///< 0: not recorded.
  std::vector<std::uint32_t> group;       ///< The ranks that ran it, ascending; empty: all.
  std::optional<std::uint32_t> sender;    ///< Of a message the rank that sends, if it is told.
  std::optional<std::uint64_t> sequence;  ///< PyTorch's number of it in its group.
  std::uint32_t step = 0;                 ///< By a number that all ranks share, if one is told.
  Seconds begin{};
  Seconds end{};
  std::uint32_t id = 0;  ///< Tells it from all other work of the rank.
};

/// What of one rank's trace is compared with the other ranks'.
struct RankRecord {
  std::string origin;  ///< The file.
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> ranks;  ///< Of the whole job.
  std::string nccl_version;            ///< Empty: not recorded.
  std::int64_t first_time_us = 0;      ///< On the rank's clock. (A double would round it.)
  std::size_t steps = 0;
  Seconds mean_step{};
  std::vector<RankCollective> collectives;  ///< Of those that end on all ranks together, by begin.
};

/// Why the records cannot be those of the ranks of one job; empty if they can. The line begins with
/// the file that is wrong and names the one that it contradicts: two of the same rank, another
/// number of ranks or of steps, or the same recording twice; or a rank beyond the job's. What a
/// trace does not tell is no contradiction, but for the number of ranks: files of one job all tell
/// it or none does.
std::string why_not_one_job(std::span<const RankRecord> records);

}  // namespace stepcast
