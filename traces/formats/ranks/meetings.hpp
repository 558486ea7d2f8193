#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/formats/rank_record.hpp"

namespace stepcast {

/// One collective on every given rank of its group, on the first rank's clock.
struct RankMeeting {
  std::vector<std::size_t> ranks;  ///< Into the records, ascending.
  std::vector<Seconds> begins;
  std::vector<Seconds> ends;
  std::vector<Seconds> offsets;  ///< Of the ranks' clocks then: one may be set anew.
  std::vector<std::uint32_t> ids;
};

/// The collectives that the given ranks of a job ran together.
struct Meetings {
  std::vector<RankMeeting> all;
  std::vector<RankMeeting> partial;  ///< That some of the given ranks of a group did not record.
  std::size_t unmatched = 0;     ///< Collectives of several given ranks that not all of them show.
  std::vector<Seconds> offsets;  ///< Of each rank's clock against the first one's, at first.
  std::string why_not;           ///< Why there are none; empty: there are.
};

/// Puts the ranks on one clock, each by collectives that it shares with one that is on it already
/// (find_clock_offset()), and pairs what the given ranks of each group recorded (pair_by_ends()).
Meetings find_meetings(std::span<const RankRecord> records);

}  // namespace stepcast
