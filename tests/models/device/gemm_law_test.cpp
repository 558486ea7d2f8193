#include "models/device/gemm_law.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// 100 slots of 1 TFLOP/s each, whatever the tile; nothing else takes time.
const GemmLaw kBare{.launch = {},
                    .peak = {1e14},
                    .bandwidth = {1e18},
                    .slots = 100,
                    .tile_overhead = 0,
                    .block = {},
                    .split = {},
                    .least_part = 1e9,
                    .misaligned = 0.25,
                    .quantisation = 1};

KernelShape product(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                    KernelFamily family = KernelFamily::GemmFp32) {
  return {.family = family, .m = m, .n = n, .k = k};
}

TEST(GemmLaw, TakesAWholeWaveForABlockBeyondIt) {
  // The smallest tiles: 100 blocks of 32 x 32 in one wave of 2 * 32 * 32 * 1000 / 1 TFLOP/s =
  // 2.048 us; one block more takes a second wave.
  EXPECT_NEAR(gemm_time(kBare, product(320, 320, 1000)).value, 2.048e-6, 1e-10);
  EXPECT_NEAR(gemm_time(kBare, product(32, 32 * 101, 1000)).value, 2 * 2.048e-6, 1e-10);
}

TEST(GemmLaw, TakesAPartOfAWaveWhereWavesOverlap) {
  GemmLaw law = kBare;
  law.quantisation = 0;
  EXPECT_NEAR(gemm_time(law, product(32, 32 * 101, 1000)).value, 1.01 * 2.048e-6, 1e-10);
}

TEST(GemmLaw, SplitsLongSumsOfFewTilesWhereThatPays) {
  // One tile, 64000 terms: one slot takes 131 us. Cut into 64 parts of 1000 terms it takes 2.048 us
  // and 1 us to add them up.
  GemmLaw law = kBare;
  EXPECT_NEAR(gemm_time(law, product(32, 32, 64000)).value, 131.072e-6, 1e-9);
  law.least_part = 1000;
  law.split = Seconds{1e-6};
  EXPECT_NEAR(gemm_time(law, product(32, 32, 64000)).value, 3.048e-6, 1e-9);
}

TEST(GemmLaw, IsBoundByTheOperandsThatItMoves) {
  // 2 x 4 x 1000 x 1000 bytes in and as many as half of that out, at 1 GB/s: 12 ms.
  GemmLaw law = kBare;
  law.bandwidth = BytesPerSecond{1e9};
  EXPECT_NEAR(gemm_time(law, product(1000, 1000, 1000)).value, 12e-3, 1e-9);
}

TEST(GemmLaw, ReachesAPartOfThePeakWhereColumnsAreMisaligned) {
  // bf16 wants multiples of 8: 320 is one, 319 is none and has as many tiles.
  const Seconds aligned = gemm_time(kBare, product(320, 320, 1000, KernelFamily::GemmBf16));
  const Seconds odd = gemm_time(kBare, product(319, 320, 1000, KernelFamily::GemmBf16));
  EXPECT_NEAR(odd / aligned, 4, 1e-9);
}

TEST(GemmLaw, IsFoundAgainFromItsOwnTimes) {
  GemmLaw law = kBare;
  law.launch = Seconds{3e-6};
  law.bandwidth = BytesPerSecond{2e12};
  law.tile_overhead = 20;
  law.quantisation = 0.7;
  std::vector<KernelPoint> points;
  for (const std::uint64_t m : {64U, 320U, 1500U, 6000U})
    for (const std::uint64_t n : {64U, 700U, 2048U})
      for (const std::uint64_t k : {64U, 600U, 5000U})
        points.push_back({.shape = product(m, n, k),
                          .time = gemm_time(law, product(m, n, k)),
                          .check = std::nullopt});
  const KernelShape other = product(2500, 1100, 900);
  for (const GemmLaw& found : fit_gemm_laws(points))
    EXPECT_NEAR(gemm_time(found, other) / gemm_time(law, other), 1, 0.1);
}

}  // namespace
}  // namespace stepcast
