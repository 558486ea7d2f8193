#include "traces/readers/rank_comparison.hpp"

#include <gtest/gtest.h>

#include "traces/readers/one_job.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-12;

/// A rank whose clock is `offset` ahead: one collective a step that it comes to at `begins` and
/// that ends at 10, 20, 30 ms.
RankRecord rank(std::uint32_t number, double offset_ms, const std::vector<double>& begins_ms) {
  RankRecord record{.origin = "file", .rank = number, .ranks = 2, .steps = begins_ms.size()};
  for (std::uint32_t i = 0; i < begins_ms.size(); ++i)
    record.collectives.push_back({.size = Bytes{100},
                                  .step = i,
                                  .begin = Seconds{(begins_ms[i] + offset_ms) * 1e-3},
                                  .end = Seconds{(10.0 * (i + 1) + offset_ms) * 1e-3}});
  return record;
}

TEST(RankComparison, AClockOffsetIsTheMedianDifferenceOfTheEnds) {
  std::vector<RankRecord> ranks = {rank(0, 0, {8, 18, 28}), rank(1, 3, {8, 18, 28})};
  // Ends differ by 3.2, 3 and 2.9 ms: median 3, of whose distances 0.2, 0 and 0.1 the median is
  // 0.1.
  ranks[1].collectives[0].end += Seconds{0.2e-3};
  ranks[1].collectives[2].end = ranks[1].collectives[2].end - Seconds{0.1e-3};
  const RankComparison comparison = compare_ranks(ranks);
  EXPECT_EQ(comparison.collectives, 3U);
  EXPECT_NEAR(comparison.ranks[0].clock_offset.value, 0, kExact);
  EXPECT_NEAR(comparison.ranks[1].clock_offset.value, 3e-3, kExact);
  EXPECT_NEAR(comparison.ranks[1].spread.value, 0.1e-3, kExact);
}

TEST(OneJob, ARankBeyondTheNumberOfRanksIsInNoJob) {
  EXPECT_EQ(why_not_one_job(std::vector<RankRecord>{rank(2, 0, {8})}),
            "file: expected a rank below the number of ranks, 2, found rank 2");
  EXPECT_EQ(why_not_one_job(std::vector<RankRecord>{rank(1, 0, {8})}), "");
}

TEST(RankComparison, FilesThatCountFromDifferentTimesAreOnTheirClocks) {
  std::vector<RankRecord> ranks = {rank(0, 0, {8, 18}), rank(1, 0, {8, 18})};
  ranks[0].first_time_us = 1'700'000'000'000'000;
  ranks[1].first_time_us = 1'700'000'000'000'500;
  EXPECT_NEAR(compare_ranks(ranks).ranks[1].clock_offset.value, 500e-6, kExact);
}

TEST(RankComparison, RanksWaitForTheOneThatComesLast) {
  // Rank 1 comes 4, 2 and 3 ms after rank 0, on clocks 50 ms apart.
  const std::vector<RankRecord> ranks = {rank(0, 0, {4, 15, 24}), rank(1, -50, {8, 17, 27})};
  const RankComparison comparison = compare_ranks(ranks);
  EXPECT_NEAR(comparison.ranks[0].waiting.value, 3e-3, kExact);
  EXPECT_NEAR(comparison.ranks[1].waiting.value, 0, kExact);
  EXPECT_NEAR(comparison.ranks[1].holding.value, 3e-3, kExact);
  EXPECT_EQ(comparison.ranks[1].last, 3U);
  EXPECT_TRUE(comparison.ranks[1].straggler);
  EXPECT_FALSE(comparison.ranks[0].straggler);
}

TEST(RankComparison, ARankThatIsLateByLessThanTheClocksAreKnownIsNoStraggler) {
  std::vector<RankRecord> ranks = {rank(0, 0, {8, 18, 28}), rank(1, 0, {8.1, 18.1, 28.1})};
  ranks[1].collectives[0].end += Seconds{0.2e-3};
  ranks[1].collectives[2].end = ranks[1].collectives[2].end - Seconds{0.2e-3};
  const RankComparison comparison = compare_ranks(ranks);
  EXPECT_EQ(comparison.ranks[1].last, 3U);
  EXPECT_FALSE(comparison.ranks[1].straggler);
}

TEST(RankComparison, WithThreeRanksOnlyTheLastOnesLeadOverTheSecondHoldsUpAll) {
  std::vector<RankRecord> ranks = {rank(0, 0, {2}), rank(1, 0, {6}), rank(2, 0, {7})};
  for (RankRecord& record : ranks)
    record.ranks = 3;
  const RankComparison comparison = compare_ranks(ranks);
  EXPECT_NEAR(comparison.ranks[0].waiting.value, 5e-3, kExact);
  EXPECT_NEAR(comparison.ranks[1].waiting.value, 1e-3, kExact);
  EXPECT_NEAR(comparison.ranks[2].holding.value, 1e-3, kExact);
}

TEST(RankComparison, CollectivesOfSomeRanksOnlyAreCountedApart) {
  std::vector<RankRecord> ranks = {rank(0, 0, {8, 18}), rank(1, 0, {8, 18})};
  ranks[1].collectives.back().size = Bytes{7};
  const RankComparison comparison = compare_ranks(ranks);
  EXPECT_EQ(comparison.collectives, 1U);
  EXPECT_EQ(comparison.unmatched, 2U);  // One of either.
}

TEST(RankComparison, RanksThatCannotBeComparedSayWhy) {
  const auto why = [](const RankRecord& second) {
    const std::vector<RankRecord> ranks = {rank(0, 0, {8}), second};
    const RankComparison comparison = compare_ranks(ranks);
    EXPECT_TRUE(comparison.ranks.empty());
    return comparison.why_not;
  };
  EXPECT_EQ(why(rank(0, 0, {8})), "file: expected another rank than in file, found rank 0 in both");
  EXPECT_EQ(why(rank(1, 0, {8, 18})), "file: expected 1 steps as in file, found 2");
  RankRecord silent = rank(1, 0, {8});
  silent.collectives.clear();
  EXPECT_EQ(why(silent), "no collective that all of them recorded");
  silent.ranks = 4;
  EXPECT_EQ(why(silent), "file: expected a job of 2 ranks as in file, found a job of 4 ranks");
}

TEST(RankComparison, OneRankIsNotCompared) {
  const std::vector<RankRecord> ranks = {rank(0, 0, {8})};
  EXPECT_TRUE(compare_ranks(ranks).ranks.empty());
  EXPECT_EQ(compare_ranks(ranks).why_not, "");
}

}  // namespace
}  // namespace stepcast
