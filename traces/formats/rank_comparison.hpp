#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/formats/rank_record.hpp"

namespace stepcast {

/// One rank beside the others. Its times are on the first rank's clock.
struct RankTiming {
  std::string origin;
  std::string name;        ///< "rank 1", or the file where the trace does not tell.
  Seconds clock_offset{};  ///< This rank's clock minus the first rank's.
  Seconds spread{};        ///< Half of the collectives say an offset within so much of it.
  Seconds mean_step{};
  Seconds waiting{};          ///< A step, in collectives for the rank that comes last.
  Seconds holding{};          ///< A step: for so long all the others waited for this rank alone.
  std::size_t last{};         ///< To so many collectives it came last.
  std::size_t collectives{};  ///< It took part in so many that are compared.
  bool straggler = false;     ///< Only if no rank of the job is missing.
};

struct RankComparison {
  std::vector<RankTiming> ranks;  ///< In the order given; empty if they cannot be compared.
  std::size_t collectives = 0;    ///< Found on every given rank of their group.
  std::size_t unmatched = 0;      ///< On some only.
  std::uint32_t job = 0;          ///< Ranks of the job; 0: not recorded.
  std::string why_not;            ///< Why they cannot be compared.

  /// Ranks of the job whose traces were not given.
  std::size_t missing() const { return job > ranks.size() ? job - ranks.size() : 0; }
};

/// Puts the ranks of one job on one clock and says who waits for whom.
///
/// An all-reduce, reduce-scatter, all-gather or all-to-all ends on all ranks of its group at about
/// the same moment, so collectives are told by their ends (find_meetings()) and the offset of a
/// rank's clock is the median difference of these. Clocks are taken to run at one speed. A rank is
/// a straggler if no other rank of the job is missing, it comes last to more than half of its
/// collectives and, each time, later than the rank before it by more than the spread of its offset.
RankComparison compare_ranks(std::span<const RankRecord> records);

/// "rank 1 +3 ms (half within 1 us)" for each rank but the first.
std::string describe_offsets(const RankComparison& comparison);

/// The same with a sign: "+3 ms".
std::string format_offset(Seconds offset);

}  // namespace stepcast
