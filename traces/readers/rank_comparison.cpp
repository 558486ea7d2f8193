#include "traces/readers/rank_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/statistics.hpp"
#include "models/base/text.hpp"
#include "traces/readers/one_job.hpp"

namespace stepcast {
namespace {

/// Step, kind, size, and the how many-th of these.
using Key = std::tuple<std::uint32_t, CollectiveKind, Bytes, std::size_t>;

/// One collective on every rank.
struct Meeting {
  std::vector<Seconds> begins;
  std::vector<Seconds> ends;
};

std::string name_of(const RankRecord& record) {
  return record.rank ? fmt::format("rank {}", *record.rank) : record.origin;
}

/// Adds one rank's collectives to those of the ranks before it.
void gather(const RankRecord& record, std::map<Key, Meeting>& meetings) {
  std::map<std::tuple<std::uint32_t, CollectiveKind, Bytes>, std::size_t> counts;
  for (const RankCollective& done : record.collectives) {
    const std::size_t number = counts[{done.step, done.kind, done.size}]++;
    Meeting& meeting = meetings[{done.step, done.kind, done.size, number}];
    meeting.begins.push_back(done.begin);
    meeting.ends.push_back(done.end);
  }
}

std::vector<Meeting> meetings_of(std::span<const RankRecord> records, RankComparison& comparison) {
  std::map<Key, Meeting> all;
  for (const RankRecord& record : records)
    gather(record, all);
  std::vector<Meeting> complete;
  for (auto& [key, meeting] : all) {
    if (meeting.ends.size() == records.size())
      complete.push_back(std::move(meeting));
    else
      ++comparison.unmatched;
  }
  comparison.collectives = complete.size();
  return complete;
}

/// Finds a rank's offset and moves its times onto the first rank's clock.
void align(std::size_t rank, std::vector<Meeting>& meetings, RankTiming& timing) {
  std::vector<Seconds> differences;
  for (const Meeting& meeting : meetings)
    differences.push_back(meeting.ends[rank] - meeting.ends.front());
  timing.clock_offset = median_of(differences);
  for (Seconds& difference : differences)
    difference = Seconds{std::abs((difference - timing.clock_offset).value)};
  timing.spread = median_of(std::move(differences));
  for (Meeting& meeting : meetings) {
    meeting.begins[rank] = meeting.begins[rank] - timing.clock_offset;
    meeting.ends[rank] = meeting.ends[rank] - timing.clock_offset;
  }
}

void add_waits(const Meeting& meeting, std::vector<RankTiming>& timings) {
  std::vector<Seconds> begins = meeting.begins;
  const auto last = std::ranges::max_element(begins) - begins.begin();
  const Seconds begin = meeting.begins[static_cast<std::size_t>(last)];
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const Seconds until = std::min(begin, meeting.ends[i]);
    timings[i].waiting += std::max(Seconds{}, until - meeting.begins[i]);
  }
  std::ranges::sort(begins);
  const Seconds ahead = begin - begins[begins.size() - 2];
  if (ahead <= Seconds{})
    return;  // Nobody came last.
  ++timings[static_cast<std::size_t>(last)].last;
  timings[static_cast<std::size_t>(last)].holding += ahead;
}

bool is_straggler(const RankTiming& timing, Seconds largest_spread, std::size_t collectives) {
  return 2 * timing.last > collectives &&
         timing.holding > largest_spread * static_cast<double>(timing.last);
}

/// From sums over all steps to one step; offsets from file times to clocks.
void finish(std::span<const RankRecord> records, RankComparison& comparison) {
  constexpr double kMicrosecond = 1e-6;
  const auto largest = std::ranges::max_element(comparison.ranks, {}, &RankTiming::spread)->spread;
  const auto first_time = static_cast<double>(records.front().first_time_us);
  for (std::size_t i = 0; i < records.size(); ++i) {
    RankTiming& timing = comparison.ranks[i];
    timing.straggler = is_straggler(timing, largest, comparison.collectives);
    timing.waiting = timing.waiting / static_cast<double>(records[i].steps);
    timing.holding = timing.holding / static_cast<double>(records[i].steps);
    const double later = static_cast<double>(records[i].first_time_us) - first_time;
    timing.clock_offset += Seconds{later * kMicrosecond};
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
  std::vector<Meeting> meetings = meetings_of(records, comparison);
  if (meetings.empty()) {
    comparison.why_not = "no collective that all of them recorded";
    return comparison;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    comparison.ranks.push_back({.origin = records[i].origin,
                                .name = name_of(records[i]),
                                .mean_step = records[i].mean_step});
    align(i, meetings, comparison.ranks.back());
  }
  for (const Meeting& meeting : meetings)
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
