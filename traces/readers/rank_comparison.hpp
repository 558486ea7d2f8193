#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/readers/rank_record.hpp"

namespace stepcast {

/// One rank beside the others. Its times are on the first rank's clock.
struct RankTiming {
  std::string origin;
  std::string name;        ///< "rank 1", or the file where the trace does not tell.
  Seconds clock_offset{};  ///< This rank's clock minus the first rank's.
  Seconds spread{};        ///< Half of the collectives say an offset within so much of it.
  Seconds mean_step{};
  Seconds waiting{};   ///< A step, in collectives for the rank that comes last.
  Seconds holding{};   ///< A step: for so long all the others waited for this rank alone.
  std::size_t last{};  ///< To so many collectives it came last.
  bool straggler = false;
};

struct RankComparison {
  std::vector<RankTiming> ranks;  ///< In the order given; empty if they cannot be compared.
  std::size_t collectives = 0;    ///< Found on every rank.
  std::size_t unmatched = 0;      ///< On some only.
  std::string why_not;            ///< Why they cannot be compared.
};

/// Puts the ranks of one job on one clock and says who waits for whom.
///
/// An all-reduce, reduce-scatter, all-gather or all-to-all ends on all ranks at about the same
/// moment: the offset of a rank's clock is the median difference of the ends to the first rank's,
/// over the collectives found on every rank (the n-th of a kind and size of a step is the same).
/// Clocks are taken to run at one speed. A rank is a straggler if it comes last to more than half
/// of the collectives and, each time, later than the rank before it by more than the spread of its
/// offset.
RankComparison compare_ranks(std::span<const RankRecord> records);

/// "rank 1 +3 ms (half within 1 us)" for each rank but the first.
std::string describe_offsets(const RankComparison& comparison);

/// The same with a sign: "+3 ms".
std::string format_offset(Seconds offset);

}  // namespace stepcast
