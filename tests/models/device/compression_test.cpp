#include "models/device/compression.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// A memory of 4 GB/s passes 1e9 fp32 elements a second.
CompressionCosts costs() {
  return {.exact = {1e-9},
          .search_rounds = 30,
          .sample = 0.25,
          .fit_passes = 4,
          .pick_passes = 2,
          .feedback_passes = 3,
          .scatter_traffic = {72},
          .low_rank_passes = 9,
          .launch = {1e-5},
          .memory_bandwidth = {4e9}};
}

double time_of(Selection selection, double elements) {
  return selection_time(costs(), selection, elements).value;
}

// 2^20 elements: 1e-9 * 1048576 * 20 s, and one launch.
TEST(Compression, ExactSelectionGrowsWithXLogX) {
  EXPECT_NEAR(time_of(Selection::Exact, 1 << 20), 20.97152e-3 + 1e-5, 1e-12);
}

// Passes over 1e6 elements take 1 ms each: 30 to search and 2 to pick, with 31 launches; 4 to fit
// and 2 to pick; 2 to pick. A quarter of 2^20 elements has 2^18: 1e-9 * 262144 * 18 s.
TEST(Compression, ThresholdsCostTheirPasses) {
  EXPECT_NEAR(time_of(Selection::Search, 1e6), 32e-3 + 31e-5, 1e-12);
  EXPECT_NEAR(time_of(Selection::Fitted, 1e6), 6e-3 + 5e-5, 1e-12);
  EXPECT_NEAR(time_of(Selection::Reused, 1e6), 2e-3 + 1e-5, 1e-12);
  EXPECT_NEAR(time_of(Selection::Sampled, 1 << 20), 4.718592e-3 + 2.097152e-3 + 2e-5, 1e-12);
  EXPECT_EQ(time_of(Selection::Free, 1e9), 0);
}

// 1,000 entries of 72 bytes at 4 GB/s: 18 us; clearing 1e6 elements: 1 ms; two launches.
TEST(Compression, ScatteringCostsAMemorySectorAnEntry) {
  EXPECT_NEAR(scatter_add_time(costs(), 1000, 1e6).value, 18e-6 + 1e-3 + 2e-5, 1e-12);
  EXPECT_NEAR(feedback_time(costs(), 1e6).value, 3e-3 + 2e-5, 1e-12);
  EXPECT_NEAR(low_rank_time(costs(), 1e6, 3, 0.5).value, 4.5e-3 + 3e-5, 1e-12);
}

TEST(Compression, UnionsOfIndependentSelectionsFillUp) {
  EXPECT_DOUBLE_EQ(union_density(0.5, 2, 0), 0.75);
  EXPECT_NEAR(union_density(0.001, 32, 0), 0.0315, 1e-4);
  EXPECT_DOUBLE_EQ(union_density(0.5, 2, 1), 0.5);
  EXPECT_DOUBLE_EQ(union_density(0.5, 2, 0.5), 0.625);
}

}  // namespace
}  // namespace stepcast
