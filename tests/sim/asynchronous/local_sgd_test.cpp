#include "sim/asynchronous/local_sgd.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

struct Training {
  std::uint32_t first;
  std::uint32_t local_steps;
  bool grows;
  std::vector<std::uint64_t> rounds;  // after one stage, two, ...
  std::vector<std::uint32_t> periods;
};

std::uint64_t rounds_of(const std::vector<LocalSgdStage>& stages) {
  std::uint64_t rounds = 0;
  for (const LocalSgdStage& stage : stages)
    rounds += stage.rounds();
  return rounds;
}

TEST(LocalSgdStages, NeedFewerRoundsWherePeriodsGrow) {
  const std::vector<Training> trainings{
      {2000, 8, false, {250, 1000, 3250, 10'000, 30'250, 91'000}, {8, 8, 8, 8, 8, 8}},
      {2000, 8, true, {250, 712, 1462, 2780, 5030, 8950}, {8, 13, 24, 41, 72, 124}},
      {2000, 64, false, {32, 126, 408, 1252, 3784, 11'378}, {64, 64, 64, 64, 64, 64}},
      {2000, 64, true, {32, 87, 181, 344, 626, 1114}, {64, 110, 192, 332, 576, 997}},
      {2000, 1, true, {2000, 8000, 14'000, 24'800, 42'800, 75'200}, {1, 1, 3, 5, 9, 15}},
      {4000, 8, true, {500, 1424, 2924, 5559, 10'059, 17'898}, {8, 13, 24, 41, 72, 124}}};
  for (const Training& each : trainings)
    for (std::uint32_t count = 1; count <= 6; ++count) {
      const auto stages = stages_of(
          {.count = count, .first = each.first, .period_grows = each.grows}, each.local_steps);
      EXPECT_EQ(rounds_of(stages), each.rounds[count - 1]);
      EXPECT_EQ(stages.back().local_steps, each.periods[count - 1]);
    }
}

TEST(LocalSgdStages, GrowGeometrically) {
  const auto stages = stages_of({.count = 6, .first = 2000}, 8);
  std::uint32_t iterations = 0;
  const std::vector<std::uint32_t> sums{2000, 8000, 26'000, 80'000, 242'000, 728'000};
  for (std::size_t s = 0; s < 6; ++s)
    EXPECT_EQ(iterations += stages[s].iterations, sums[s]);
}

TEST(LocalSgdStages, OfAPublishedCommandHave2500Rounds) {
  // T0 = 4,000 and I = 8 in 20,000 iterations: five stages of equal length with a fixed period.
  const auto stages = stages_of({.count = 5, .first = 4000, .growth = 1, .period_grows = false}, 8);
  EXPECT_EQ(rounds_of(stages), 2500U);
}

TEST(LocalSgdStages, CannotLastForEver) {
  EXPECT_EQ(input_error_of([] { stages_of({.count = 30}, 8); }),
            "stages: expected at most 1e+09 iterations of all stages, found more in stage 13");
}

TEST(LocalSgdStages, AverageAtTheirEnd) {
  // A stage shorter than its period is one round.
  const auto stages = stages_of({.count = 1, .first = 5}, 8);
  EXPECT_EQ(stages.front().local_steps, 5U);
  EXPECT_EQ(stages.front().rounds(), 1U);
}

}  // namespace
}  // namespace stepcast
