#include "traces/formats/rank_comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/statistics.hpp"
#include "models/base/text.hpp"
#include "traces/formats/rank_record.hpp"
#include "traces/formats/ranks/meetings.hpp"

namespace stepcast {
namespace {

constexpr Seconds kResolution{1e-9};  // Of recorded times; what is less comes from sums of doubles.

std::string name_of(const RankRecord& record) {
  return record.rank ? fmt::format("rank {}", *record.rank) : record.origin;
}

/// How far the ends of its collectives are from those of the first rank of each: half of them.
Seconds spread_of(std::size_t rank, const std::vector<RankMeeting>& meetings) {
  std::vector<Seconds> distances;
  for (const RankMeeting& meeting : meetings)
    if (const auto at = std::ranges::find(meeting.ranks, rank); at != meeting.ranks.end()) {
      const Seconds end = meeting.ends[static_cast<std::size_t>(at - meeting.ranks.begin())];
      distances.push_back(Seconds{std::abs((end - meeting.ends.front()).value)});
    }
  const Seconds spread = distances.empty() ? Seconds{} : median_of(std::move(distances));
  return spread < kResolution ? Seconds{} : spread;
}

void add_waits(const RankMeeting& meeting, std::vector<RankTiming>& timings) {
  std::vector<Seconds> begins = meeting.begins;
  const auto last = std::ranges::max_element(begins) - begins.begin();
  const Seconds begin = meeting.begins[static_cast<std::size_t>(last)];
  for (std::size_t i = 0; i < meeting.ranks.size(); ++i) {
    RankTiming& timing = timings[meeting.ranks[i]];
    ++timing.collectives;
    timing.waiting += std::max(Seconds{}, std::min(begin, meeting.ends[i]) - meeting.begins[i]);
  }
  std::ranges::sort(begins);
  const Seconds ahead = begin - begins[begins.size() - 2];
  if (ahead < kResolution)
    return;  // Nobody came last.
  RankTiming& late = timings[meeting.ranks[static_cast<std::size_t>(last)]];
  ++late.last;
  late.holding += ahead;
}

bool comes_last(const RankTiming& timing, Seconds largest_spread) {
  return 2 * timing.last > timing.collectives &&
         timing.holding > largest_spread * static_cast<double>(timing.last);
}

/// From sums over all steps to one step.
void finish(std::span<const RankRecord> records, RankComparison& comparison) {
  const auto largest = std::ranges::max_element(comparison.ranks, {}, &RankTiming::spread)->spread;
  for (std::size_t i = 0; i < records.size(); ++i) {
    RankTiming& timing = comparison.ranks[i];
    timing.straggler = comparison.missing() == 0 && comes_last(timing, largest);
    timing.waiting = timing.waiting / static_cast<double>(records[i].steps);
    timing.holding = timing.holding / static_cast<double>(records[i].steps);
  }
}

}  // namespace

RankComparison compare_ranks(std::span<const RankRecord> records) {
  RankComparison comparison;
  if (records.size() < 2)
    return comparison;
  comparison.why_not = why_not_one_job(records);
  if (!comparison.why_not.empty())
    return comparison;
  Meetings meetings = find_meetings(records);
  comparison.why_not = meetings.why_not;
  if (comparison.why_not.empty() && meetings.all.empty())
    comparison.why_not = "no collective that all of them recorded";
  if (!comparison.why_not.empty())
    return comparison;
  comparison.job = records.front().ranks.value_or(0);
  comparison.collectives = meetings.all.size();
  comparison.unmatched = meetings.unmatched;
  for (std::size_t i = 0; i < records.size(); ++i)
    comparison.ranks.push_back({.origin = records[i].origin,
                                .name = name_of(records[i]),
                                .clock_offset = meetings.offsets[i],
                                .spread = spread_of(i, meetings.all),
                                .mean_step = records[i].mean_step});
  for (const RankMeeting& meeting : meetings.all)
    add_waits(meeting, comparison.ranks);
  finish(records, comparison);
  return comparison;
}

std::string describe_offsets(const RankComparison& comparison) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < comparison.ranks.size(); ++i) {
    const RankTiming& timing = comparison.ranks[i];
    texts.push_back(fmt::format("{} {} (half within {})", timing.name,
                                format_offset(timing.clock_offset), format_seconds(timing.spread)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string format_offset(Seconds offset) {
  const char* sign = offset < Seconds{} ? "-" : "+";
  return fmt::format("{}{}", sign, format_seconds(Seconds{std::abs(offset.value)}));
}

}  // namespace stepcast
