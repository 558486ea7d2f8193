#include "traces/formats/rank_comparison.hpp"

#include <gtest/gtest.h>

#include "tests/support/recorded_data.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/rank_record.hpp"

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

// NCCL refuses to join others.
TEST(OneJob, RanksHaveOneVersionOfNccl) {
  std::vector<RankRecord> ranks = {rank(0, 0, {8}), rank(1, 0, {8})};
  ranks[0].nccl_version = "2.18.1";
  EXPECT_EQ(why_not_one_job(ranks), "");
  ranks[1].nccl_version = "2.19.3";
  EXPECT_EQ(why_not_one_job(ranks),
            "file: expected NCCL 2.18.1 as in file, found 2.19.3: it joins ranks of one version");
}

// Of two jobs that run the same, one further on.
TEST(OneJob, CollectivesOfAllRanksHaveNumbersInCommon) {
  std::vector<RankRecord> ranks = {rank(0, 0, {8, 18}), rank(1, 0, {8, 18})};
  for (std::uint64_t i = 0; i < 2; ++i) {
    ranks[0].collectives[i].sequence = 40 + i;
    ranks[1].collectives[i].sequence = 41 + i;
  }
  EXPECT_EQ(why_not_one_job(ranks), "");
  ranks[1].collectives[0].sequence = 43;
  EXPECT_EQ(why_not_one_job(ranks),
            "file: expected collectives of all ranks numbered 40 to 41 (Seq), as in file, found 42 "
            "to 43: ranks of two jobs, or other steps");
  ranks[1].collectives[0].group = ranks[1].collectives[1].group = {1};
  EXPECT_EQ(why_not_one_job(ranks), "");
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

TEST(RankComparison, NoStragglerIsNamedWhileRanksAreMissing) {
  std::vector<RankRecord> ranks = {rank(0, 0, {4, 15, 24}), rank(1, 0, {8, 17, 27})};
  ASSERT_TRUE(compare_ranks(ranks).ranks[1].straggler);
  for (RankRecord& record : ranks)
    record.ranks = 128;
  const RankComparison comparison = compare_ranks(ranks);
  EXPECT_EQ(comparison.missing(), 126U);
  EXPECT_EQ(comparison.ranks[1].last, 3U);
  EXPECT_FALSE(comparison.ranks[1].straggler);
}

TEST(RankComparison, PairsWhoseEndsScatterAreRefused) {
  // Ends 13, 24 and 40 ms apart are no offset of a clock.
  std::vector<RankRecord> ranks = {rank(0, 0, {8, 18, 28}), rank(1, 0, {8, 18, 28})};
  const double later_ms[] = {13, 24, 40};
  for (std::size_t i = 0; i < 3; ++i)
    ranks[1].collectives[i].end += Seconds{later_ms[i] * 1e-3};
  EXPECT_EQ(compare_ranks(ranks).why_not,
            "the ends of the collectives in file scatter against those of the other ranks: they "
            "are not the same ones");
}

// Four ranks as two pairs of tensor-parallel ranks; {0, 2} and {1, 3} reduce gradients. Rank 3
// shares nothing with rank 0: its clock is known by rank 1 or 2.
TEST(RankComparison, GroupsMeetAmongThemselves) {
  std::vector<RankRecord> ranks;
  for (std::uint32_t i = 0; i < 4; ++i) {
    RankRecord record{.origin = "file", .rank = i, .ranks = 4, .steps = 1};
    const std::uint32_t pair = i / 2 * 2;
    const auto add = [&](std::vector<std::uint32_t> group, double begin, double end) {
      record.collectives.push_back({.size = Bytes{100},
                                    .group = std::move(group),
                                    .begin = Seconds{(begin + i) * 1e-3},
                                    .end = Seconds{(end + i) * 1e-3}});
    };
    add({pair, pair + 1}, i == 3 ? 6 : 5, 10);  // Rank i's clock is i ms ahead.
    add({i % 2, i % 2 + 2}, 15, 20);
    ranks.push_back(record);
  }
  const RankComparison comparison = compare_ranks(ranks);
  ASSERT_EQ(comparison.ranks.size(), 4U);
  EXPECT_EQ(comparison.collectives, 4U);
  EXPECT_EQ(comparison.unmatched, 0U);
  EXPECT_NEAR(comparison.ranks[3].clock_offset.value, 3e-3, kExact);
  EXPECT_NEAR(comparison.ranks[2].waiting.value, 1e-3, kExact);
  EXPECT_EQ(comparison.ranks[3].last, 1U);
  EXPECT_EQ(comparison.ranks[3].collectives, 2U);
}

// Of 10 collectives of either rank 5 have a partner; their ends lie 0 to .33 ms apart.
TEST(RankComparison, SampledTracesOfTwoOf128Ranks) {
  const auto folder = recorded_data("multirank/hta_128ranks");
  STEPCAST_SKIP_WITHOUT(folder);
  std::vector<RankRecord> records;
  for (const char* name : {"sampled_rank-0.json.gz", "sampled_rank-1.json.gz"}) {
    const auto path = folder / name;
    ImportReport report;
    records.push_back(*inspect_trace(std::span(&path, 1), {}, report).rank);
  }
  const RankComparison comparison = compare_ranks(records);
  ASSERT_EQ(comparison.ranks.size(), 2U);
  EXPECT_EQ(comparison.collectives, 5U);
  EXPECT_EQ(comparison.unmatched, 10U);
  EXPECT_EQ(comparison.missing(), 126U);
  EXPECT_LT(comparison.ranks[1].spread.value, 0.33e-3);
  for (const RankTiming& timing : comparison.ranks)
    EXPECT_FALSE(timing.straggler);
}

TEST(RankComparison, OneRankIsNotCompared) {
  const std::vector<RankRecord> ranks = {rank(0, 0, {8})};
  EXPECT_TRUE(compare_ranks(ranks).ranks.empty());
  EXPECT_EQ(compare_ranks(ranks).why_not, "");
}

}  // namespace
}  // namespace stepcast
