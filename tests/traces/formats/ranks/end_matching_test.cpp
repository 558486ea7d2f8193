#include "traces/formats/ranks/end_matching.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// All-reduces of 10 ms that end at these times.
std::vector<RankCollective> ending_at(const std::vector<double>& ends_ms) {
  std::vector<RankCollective> all;
  for (const double end : ends_ms)
    all.push_back(
        {.size = Bytes{100}, .begin = Seconds{(end - 10) * 1e-3}, .end = Seconds{end * 1e-3}});
  return all;
}

std::vector<Seconds> everywhere(Seconds offset, const std::vector<RankCollective>& all) {
  return std::vector(all.size(), offset);
}

TEST(EndMatching, EndsMayLieHalfACollectiveApartWithin50MicrosecondsAndAMillisecond) {
  std::vector<RankCollective> two = ending_at({10, 10});
  EXPECT_NEAR(end_tolerance(two[0], two[1]).value, 1e-3, 1e-15);
  two[1].begin = two[1].end - Seconds{0.6e-3};
  EXPECT_NEAR(end_tolerance(two[0], two[1]).value, 0.3e-3, 1e-15);
  two[0].begin = two[0].end;
  EXPECT_NEAR(end_tolerance(two[0], two[1]).value, 50e-6, 1e-15);
}

// One event is missing on either side, so that the n-th of one rank is not the n-th of the other:
// taken by order, the ends would lie 13 to 40 ms apart. 20, 63 and 150 are on both.
TEST(EndMatching, EventsThatAreMissingAtRandomAreMatchedByTheirEnds) {
  const auto a = ending_at({20, 63, 110, 150});
  const auto b = ending_at({7, 20.1, 63.1, 150.1});
  const auto offset = find_clock_offset(a, b);
  ASSERT_TRUE(offset.has_value());
  EXPECT_NEAR(offset->value, 0.1e-3, 1e-12);
  EXPECT_EQ(pair_by_ends(a, b, everywhere(*offset, b)), (CollectivePairs{{0, 1}, {1, 2}, {3, 3}}));
}

TEST(EndMatching, ClocksMayBeFarApart) {
  const auto a = ending_at({20, 63, 110, 150});
  const auto b = ending_at({5020, 5063, 5150});
  EXPECT_NEAR(find_clock_offset(a, b).value_or(Seconds{}).value, 5, 1e-12);
}

TEST(EndMatching, EndsThatScatterTellNoOffset) {
  EXPECT_FALSE(find_clock_offset(ending_at({20, 63, 110, 150}), ending_at({33, 97, 124, 181})));
}

TEST(EndMatching, NumbersTellTheSameCollectiveWhereEventsAreMissing) {
  auto a = ending_at({10, 20, 30});
  auto b = ending_at({20, 30});
  for (std::uint64_t i = 0; i < 3; ++i)
    a[i].sequence = i;
  for (std::uint64_t i = 0; i < 2; ++i)
    b[i].sequence = i + 1;
  EXPECT_NEAR(find_clock_offset(a, b).value_or(Seconds{1}).value, 0, 1e-12);
  EXPECT_EQ(pair_by_ends(a, b, everywhere({}, b)), (CollectivePairs{{1, 0}, {2, 1}}));
}

TEST(EndMatching, OtherGroupsKindsAndSizesAreOtherCollectives) {
  const auto a = ending_at({10});
  auto b = ending_at({10});
  b[0].group = {0, 1};
  EXPECT_TRUE(pair_by_ends(a, b, everywhere({}, b)).empty());
  b = ending_at({10});
  b[0].kind = CollectiveKind::AllGather;
  EXPECT_TRUE(pair_by_ends(a, b, everywhere({}, b)).empty());
  b = ending_at({10});
  b[0].size = Bytes{99};
  EXPECT_TRUE(pair_by_ends(a, b, everywhere({}, b)).empty());
}

/// Two in each of twelve steps of 20 ms, of which a clock is so much ahead from the sixth on.
std::vector<RankCollective> two_a_step(double ahead_ms) {
  std::vector<RankCollective> all;
  for (std::uint32_t step = 0; step < 12; ++step)
    for (const double end : {12.0, 18.0}) {
      all.push_back(ending_at({20 * step + end + (step < 6 ? 0 : ahead_ms)}).front());
      all.back().step = step;
    }
  return all;
}

// By 20 and 6 ms, what ends together is of another step, or another one of the step.
TEST(EndMatching, AClockThatIsSetAnewHasTwoOffsets) {
  for (const double ahead : {-70.0, -20.0, 6.0, 20.0, 500.0}) {
    const auto offsets = offsets_along(two_a_step(0), two_a_step(ahead), {});
    for (std::size_t i = 0; i < offsets.size(); ++i)
      EXPECT_NEAR(offsets[i].value, (i < 12 ? 0 : ahead) * 1e-3, 1e-12) << ahead << " " << i;
  }
}

// The first of a step is missing on one side, the last on the other: pairs are 6 ms off, in three
// steps in a row, and end together in none.
TEST(EndMatching, WrongPairsAreNoClockThatIsSetAnew) {
  auto a = two_a_step(0);
  auto b = two_a_step(0);
  for (const int step : {6, 5, 4}) {
    a.erase(a.begin() + 2 * step);
    b.erase(b.begin() + 2 * step + 1);
    b.insert(b.begin() + 2 * step + 1, ending_at({20.0 * step + 15}).front());
    b[static_cast<std::size_t>(2 * step + 1)].step = static_cast<std::uint32_t>(step);
    b[static_cast<std::size_t>(2 * step + 1)].size = Bytes{7};
  }
  for (const Seconds offset : offsets_along(a, b, {}))
    EXPECT_EQ(offset.value, 0);
}

}  // namespace
}  // namespace stepcast
