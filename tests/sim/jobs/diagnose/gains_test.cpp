#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/small_job.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

Gains gains_of_made(const MadeJob& made) {
  return diagnose(table_job(made.text())).gains;
}

// A step takes 4 x 45 ms of rank 5's passes, transfers of 4 and 1 ms and an update of 2 ms. The
// others' passes of a micro-batch take 30 ms.
TEST(GainsTest, EachHasItsOwnStep) {
  MadeJob made;
  made.pass = [](int rank, int /*step*/, int /*batch*/, bool forward) {
    return (forward ? 0.010 : 0.020) * (rank == 5 ? 1.5 : 1);
  };
  const Gains gains = gains_of_made(made);
  EXPECT_NEAR(gains.even_ranks->value, 4 * 0.030 + 0.007, 1e-6);
  EXPECT_NEAR(gains.faster_network->value, 0.187 - 0.0025, 1e-6);
  EXPECT_NEAR(gains.free_network->value, 0.187 - 0.005, 1e-6);
  EXPECT_FALSE(gains.even_stages);
}

// Launches of 3 ms do not count.
TEST(GainsTest, AreToldWithoutDelays) {
  const Gains gains = gains_of_made({.launch = 0.003});
  EXPECT_NEAR(gains.faster_network->value, 0.1245, 1e-6);
  EXPECT_NEAR(gains.free_network->value, 0.122, 1e-6);
}

// Ranks of two stages compute 2 and 6 ms, the mean of which is 4.
TEST(GainsTest, EvenStagesTakeTheMeanOfAll) {
  SmallJob small;
  small.job().stages = 2;
  small.job().ranks[1] = {.number = 1, .stage = 1};
  small.add(0, kForward, 1, 0, 2);
  small.add(1, kForward, 1, 0, 5);
  small.add(1, kForward, 1, 5, 6);
  small.edge(1, 2);
  expect_ms(*small.diagnosis().gains.even_stages, 4);
}

// A third rank, of the second stage, of which no pass is recorded, makes that stage no shorter.
TEST(GainsTest, RanksWithoutPassesDoNotCount) {
  SmallJob small;
  small.job().stages = 2;
  small.job().ranks[1] = {.number = 1, .stage = 1};
  small.job().ranks.push_back({.number = 2, .data = 1, .stage = 1});
  small.job().gpus = 3;
  small.add(0, kForward, 1, 0, 2);
  small.add(1, kForward, 1, 0, 6);
  small.add(2, kCopy, 1, 0, 1);
  expect_ms(*small.diagnosis().gains.even_stages, 4);
}

TEST(GainsTest, ARankByItselfIsNoStraggler) {
  SmallJob small;
  small.job().ranks.resize(1);
  small.job().kinds.resize(1);
  small.add(0, kForward, 1, 0, 2);
  const Gains gains = small.diagnosis().gains;
  EXPECT_FALSE(gains.even_ranks);
  EXPECT_FALSE(gains.free_network);
}

}  // namespace
}  // namespace stepcast
