#include "traces/job/read_at_once.hpp"

#include <algorithm>
#include <iterator>

#include "models/base/at_once.hpp"

namespace stepcast {
namespace {

void add_tallies(const ImportReport& from, ImportReport& to) {
  for (const auto& [kind, tally] : from.skipped())
    for (std::uint64_t i = 0; i < tally.count; ++i)
      to.skip(kind, tally.first);
  for (const auto& [kind, tally] : from.doubtful())
    for (std::uint64_t i = 0; i < tally.count; ++i)
      to.doubt(kind, tally.first);
  for (const auto& [kind, tally] : from.inferred())
    for (std::uint64_t i = 0; i < tally.count; ++i)
      to.infer(kind, tally.first);
}

}  // namespace

std::vector<RankTimeline> read_at_once(std::size_t count, const TimelinesReader& read,
                                       ImportReport& report) {
  std::vector<std::vector<RankTimeline>> of_files(count);
  std::vector<ImportReport> reports(count);
  for_each_at_once(count, [&](std::size_t file) { of_files[file] = read(file, reports[file]); });
  std::vector<RankTimeline> timelines;
  for (std::size_t file = 0; file < count; ++file) {
    std::ranges::move(of_files[file], std::back_inserter(timelines));
    add_tallies(reports[file], report);
  }
  return timelines;
}

std::vector<RankTimeline> read_timelines(const std::vector<TraceStream>& files,
                                         const TimelineReader& read, ImportReport& report) {
  const auto read_one = [&](std::size_t file, ImportReport& own) {
    std::vector<RankTimeline> timelines;
    timelines.push_back(read(files[file], own));
    return timelines;
  };
  return read_at_once(files.size(), read_one, report);
}

}  // namespace stepcast
