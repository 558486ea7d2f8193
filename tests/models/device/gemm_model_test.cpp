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

TEST(GemmModel, IsExactWhereEveryShapeReachesTheSameRate) {
  // 1 TFLOP/s for all: 2 * 1000^3 operations take 2 ms.
  std::vector<KernelPoint> points;
  for (const std::uint64_t side : {500U, 800U, 2000U, 4000U}) {
    const auto sides = static_cast<double>(side);
    points.push_back(point(side, side, side, 2 * sides * sides * sides / 1e12));
  }
  const GemmModel model(points);
  EXPECT_NEAR(model.at(point(1000, 1000, 1000, 1).shape).value, 2e-3, 1e-6);
}

TEST(GemmModel, NeverFallsBelowAnyMeasuredLaunch) {
  const GemmModel model(std::vector{point(64, 64, 64, 5e-6), point(64, 64, 128, 5e-6)});
  EXPECT_NEAR(model.at(point(8, 8, 8, 1).shape).value, 5e-6, 1e-12);
}

}  // namespace
}  // namespace stepcast
