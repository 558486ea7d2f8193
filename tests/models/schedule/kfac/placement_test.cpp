#include "models/schedule/kfac/placement.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast::kfac {
namespace {

using Ranks = std::vector<Rank>;

TEST(PlaceInTurn, WrapsAround) {
  EXPECT_EQ(place_in_turn(5, 3), (Ranks{0, 1, 2, 0, 1}));
}

// Descending: 9 to rank 0, 8 to rank 1; 5 to rank 1 (8 < 9), then 4 to rank 0 (9 < 13), 3 to
// rank 0 (13 = 13, the first).
TEST(PlaceBalanced, LargestFirstToTheLeastLoaded) {
  const std::uint32_t sides[] = {3, 9, 4, 8, 5};
  EXPECT_EQ(place_balanced(sides, std::vector<bool>(5), 2), (Ranks{0, 0, 0, 1, 1}));
}

TEST(PlaceBalanced, SmallItemsGoToEveryRankAndWeighNothing) {
  const std::uint32_t sides[] = {9, 1, 8, 2};
  EXPECT_EQ(place_balanced(sides, {false, true, false, true}, 2),
            (Ranks{0, kEveryRank, 1, kEveryRank}));
}

// 4 | 3 1 | 5 is best: every other split into three has a block above 5.
TEST(SmallestBottleneck, IsThatOfTheBestContiguousSplit) {
  const double weights[] = {4, 3, 1, 5};
  EXPECT_EQ(smallest_bottleneck(weights, 1), 13);
  EXPECT_EQ(smallest_bottleneck(weights, 2), 7);  // 4 3 | 1 5
  EXPECT_EQ(smallest_bottleneck(weights, 3), 5);
  EXPECT_EQ(smallest_bottleneck(weights, 9), 5);
}

TEST(PlaceContiguous, FillsUpToTheBottleneck) {
  const double weights[] = {4, 3, 1, 5};
  EXPECT_EQ(place_contiguous(weights, 3), (Ranks{0, 1, 1, 2}));
}

// The bottleneck is 9, up to which a greedy fill would put everything else on rank 0 and leave
// rank 2 idle.
TEST(PlaceContiguous, LeavesAnItemForEveryRank) {
  const double weights[] = {1, 1, 9};
  EXPECT_EQ(place_contiguous(weights, 3), (Ranks{0, 1, 2}));
}

TEST(PlaceContiguous, MoreRanksThanItemsLeavesTheLastIdle) {
  const double weights[] = {1, 9};
  EXPECT_EQ(place_contiguous(weights, 4), (Ranks{0, 1}));
}

// All 3^7 ways of cutting: none is better than the dynamic programme.
TEST(SmallestBottleneck, NoSplitIntoThreeIsBetter) {
  const double weights[] = {2, 7, 1, 8, 2, 8, 1, 8};
  double best = 1e9;
  for (int first = 0; first <= 8; ++first)
    for (int second = first; second <= 8; ++second) {
      double blocks[3] = {};
      for (int i = 0; i < 8; ++i)
        blocks[i < first ? 0 : i < second ? 1 : 2] += weights[i];
      best = std::min(best, std::max({blocks[0], blocks[1], blocks[2]}));
    }
  EXPECT_EQ(smallest_bottleneck(weights, 3), best);
}

TEST(Grid, ColumnsAndRowsCutTheRanks) {
  const Grid grid = grid_of(8, 0.25);
  EXPECT_EQ(grid.grad_workers, 2U);
  EXPECT_EQ(grid.columns, 4U);
  EXPECT_EQ(column_of(grid, 1), (Ranks{1, 5}));
  EXPECT_EQ(row_of(grid, 1), (Ranks{4, 5, 6, 7}));
}

// A quarter of 9 is 2.25: 3 is nearer than 1; of 6 it is 1.5, between 1 and 2.
TEST(Grid, AQuarterIsRoundedToADivisorOfTheRanks) {
  EXPECT_EQ(quarter_grid_of(9).grad_workers, 3U);
  EXPECT_EQ(quarter_grid_of(9).columns, 3U);
  EXPECT_EQ(quarter_grid_of(6).grad_workers, 2U);
  EXPECT_EQ(quarter_grid_of(7).grad_workers, 1U);
  EXPECT_EQ(quarter_grid_of(1).grad_workers, 1U);
}

TEST(Grid, AQuarterThatDividesTheRanksIsTakenAsItIs) {
  for (std::uint32_t ranks = 4; ranks <= 256; ranks += 4)
    EXPECT_EQ(quarter_grid_of(ranks).grad_workers, grid_of(ranks, 0.25).grad_workers) << ranks;
}

TEST(Grid, SmallestFractionIsOneGradWorker) {
  EXPECT_EQ(grid_of(8, 0.01).grad_workers, 1U);
}

// Two columns of two: layer 1 (10) to column 0, its A (6) to rank 0 and G (4) to rank 2; layer 0
// (5) to column 1, A (3) to rank 1, G (2) to rank 3; layer 2 (2) to column 1 (5 < 10), where rank
// 3 has 2 < 3: its G (1.5) first to rank 3, then A (0.5) to rank 1 (3 < 3.5).
TEST(PlaceOnGrid, DearestLayerFirstToTheLeastLoadedColumnAndRank) {
  const LayerCost layers[] = {{3, 2}, {6, 4}, {0.5, 1.5}};
  const auto places = place_on_grid(layers, {.columns = 2, .grad_workers = 2});
  EXPECT_EQ(places[1].column, 0U);
  EXPECT_EQ(places[1].inverts_a, 0U);
  EXPECT_EQ(places[1].inverts_g, 2U);
  EXPECT_EQ(places[0].column, 1U);
  EXPECT_EQ(places[0].inverts_a, 1U);
  EXPECT_EQ(places[0].inverts_g, 3U);
  EXPECT_EQ(places[2].column, 1U);
  EXPECT_EQ(places[2].inverts_g, 3U);
  EXPECT_EQ(places[2].inverts_a, 1U);
}

TEST(Placement, RefusesWhatCannotBe) {
  EXPECT_NE(input_error_of([] { place_in_turn(3, 0); }), "");
  EXPECT_NE(input_error_of([] { grid_of(8, 0); }), "");
  EXPECT_NE(input_error_of([] { grid_of(8, 1.5); }), "");
  EXPECT_NE(input_error_of([] { grid_of(9, 0.5); }).find("divide the 9 ranks"), std::string::npos);
}

}  // namespace
}  // namespace stepcast::kfac
