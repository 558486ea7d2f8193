#include "models/device/gemm_model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

KernelPoint point(std::uint64_t m, std::uint64_t n, std::uint64_t k, double time) {
  return {.shape = {.family = KernelFamily::GemmFp32, .m = m, .n = n, .k = k},
          .time = {time},
          .check = std::nullopt};
}

TEST(GemmModel, GivesBackWhatItWasFittedOn) {
  const std::vector<KernelPoint> points{point(64, 64, 64, 5e-6), point(512, 512, 512, 2e-5),
                                        point(4096, 512, 64, 1e-5)};
  const GemmModel model(points);
  for (const KernelPoint& each : points)
    EXPECT_NEAR(model.at(each.shape) / each.time, 1, 1e-6);
}

TEST(GemmModel, IsCloseWhereEveryShapeReachesTheSameRate) {
  // 1 TFLOP/s for all: 2 * 1000^3 operations take 2 ms. The law's tiles of up to 256 cover 1000 by
  // 1024 at most, 2.4 % more a side.
  std::vector<KernelPoint> points;
  for (const std::uint64_t side : {500U, 800U, 2000U, 4000U}) {
    const auto sides = static_cast<double>(side);
    points.push_back(point(side, side, side, 2 * sides * sides * sides / 1e12));
  }
  const GemmModel model(points);
  EXPECT_NEAR(model.at(point(1000, 1000, 1000, 1).shape).value, 2e-3, 0.1e-3);
}

TEST(GemmModel, LearnsMisalignedBf16ShapesFromTheirLike) {
  // Odd sides take four times as long; 145 is nearer to 144 than to 161, but has the latter's rate.
  std::vector<KernelPoint> points;
  for (const std::uint64_t side : {128U, 129U, 144U, 160U, 161U}) {
    points.push_back(point(side, side, side, side % 2 == 1 ? 4e-4 : 1e-4));
    points.back().shape.family = KernelFamily::GemmBf16;
  }
  const GemmModel model(points);
  KernelShape odd = point(145, 145, 145, 1).shape;
  odd.family = KernelFamily::GemmBf16;
  EXPECT_NEAR(model.at(odd).value, 4e-4, 0.2e-4);
}

TEST(GemmModel, NeverFallsBelowAnyMeasuredTime) {
  const GemmModel model(std::vector{point(64, 64, 64, 5e-6), point(64, 64, 128, 5e-6)});
  EXPECT_NEAR(model.at(point(8, 8, 8, 1).shape).value, 5e-6, 1e-12);
}

}  // namespace
}  // namespace stepcast
