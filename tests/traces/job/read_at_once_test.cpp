#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/job/rank_timeline.hpp"

namespace stepcast {
namespace {

/// A file of one rank, or, every third, of two; those of an even number skip something.
std::vector<RankTimeline> made_timelines(std::size_t file, ImportReport& report) {
  std::vector<RankTimeline> timelines;
  for (std::size_t device = 0; device < (file % 3 == 0 ? 2 : 1); ++device)
    timelines.push_back(
        {.record = {.origin = fmt::format("{}.{}", file, device), .collectives = {}}, .steps = {}});
  if (file % 2 == 0)
    report.skip("work", fmt::format("file {}", file));
  return timelines;
}

TEST(ReadAtOnce, TimelinesAndTalliesComeInOrderOfTheFiles) {
  constexpr std::size_t kFiles = 40;
  ImportReport report;
  const auto timelines = read_at_once(kFiles, made_timelines, report);
  ImportReport unused;
  std::size_t next = 0;
  for (std::size_t file = 0; file < kFiles; ++file)
    for (const RankTimeline& timeline : made_timelines(file, unused))
      EXPECT_EQ(timelines.at(next++).record.origin, timeline.record.origin);
  EXPECT_EQ(timelines.size(), next);
  EXPECT_EQ(report.skipped().at("work").count, kFiles / 2);
  EXPECT_EQ(report.skipped().at("work").first, "file 0");
}

TEST(ReadAtOnce, ErrorIsThatOfTheFirstFile) {
  ImportReport report;
  const auto read = [](std::size_t file, ImportReport& own) {
    if (file >= 5)
      throw InputError(fmt::format("file {}: broken", file));
    return made_timelines(file, own);
  };
  EXPECT_EQ(input_error_of([&] { read_at_once(20, read, report); }), "file 5: broken");
}

}  // namespace
}  // namespace stepcast
