#include "models/device/kfac_cost.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

KfacCosts costs() {
  return {.products = {{10, {1e12}}, {1000, {4e12}}},
          .inverses = {{10, Seconds{1e-4}}, {1000, Seconds{1e-2}}},
          .memory_bandwidth = BytesPerSecond{1e12}};
}

TEST(KfacCost, InverseAtAMeasuredSideIsTheMeasuredTime) {
  EXPECT_EQ(inverse_time(costs(), 10), Seconds{1e-4});
  EXPECT_EQ(inverse_time(costs(), 1000), Seconds{1e-2});
}

// Arithmetic at the rate of 1000, 1e-2 / 1e9: 1e-8 of 10, and 1e-5 of 100. Launches are the rest,
// 9.999e-5 at 10 and nothing at 1000: 90 / 990 of the way from one to the other.
TEST(KfacCost, InverseBetweenPointsIsArithmeticAndLaunchesOfPanels) {
  EXPECT_NEAR(inverse_time(costs(), 100).value, 1e-5 + 9.999e-5 * 10 / 11, 1e-12);
}

// 2 us a panel of 32, and arithmetic: what lies between the points is met, where a power law
// through them would be 5.9 % off.
TEST(KfacCost, InverseOfABlockedFactorisationIsMetBetweenItsPoints) {
  const auto blocked = [](double side) {
    return Seconds{2e-6 * side / 32 + 1e-13 * side * side * side};
  };
  KfacCosts more = costs();
  more.inverses = {{256, blocked(256)}, {512, blocked(512)}, {1024, blocked(1024)}};
  EXPECT_NEAR(inverse_time(more, 768) / blocked(768), 1, 1e-9);
  EXPECT_NEAR(inverse_time(more, 300) / blocked(300), 1, 1e-9);
}

// Points that fall with the side leave nothing to arithmetic, and no time below theirs.
TEST(KfacCost, InverseIsNeverFasterThanBothPointsBesideIt) {
  KfacCosts more = costs();
  more.inverses = {{64, Seconds{3e-4}}, {128, Seconds{2e-4}}, {256, Seconds{1e-4}}};
  EXPECT_GE(inverse_time(more, 100), Seconds{2e-4});
}

TEST(KfacCost, InverseBeyondThePointsIsFlatBelowAndCubicAbove) {
  EXPECT_EQ(inverse_time(costs(), 1), Seconds{1e-4});
  EXPECT_NEAR(inverse_time(costs(), 2000).value, 8e-2, 1e-12);
}

// Launch 1 ms; 5 passes of 4 bytes over 100 elements at 1e12 bytes/s.
TEST(KfacCost, InverseAddsLaunchAndPasses) {
  KfacCosts more = costs();
  more.inverse_launch = Seconds{1e-3};
  more.inverse_passes = 5;
  EXPECT_NEAR(inverse_time(more, 10).value, 1e-4 + 1e-3 + 5 * 4 * 100 / 1e12, 1e-15);
}

// 2 x 1000 x 100^2 operations at 2 TFLOP/s (half way between 1 and 4 in logarithms) are 10 us.
// Unfolding 3 passes over 1000 x 100 elements, averaging 6 over 100 x 100.
TEST(KfacCost, FactorIsProductUnfoldingAndAverage) {
  KfacCosts more = costs();
  more.unfold_passes = 3;
  more.average_passes = 6;
  more.factor_launch = Seconds{2e-6};
  more.product_launch = Seconds{1e-6};
  const double expected = 10e-6 + 3 * 4 * 1e5 / 1e12 + 6 * 4 * 1e4 / 1e12 + 3e-6;
  EXPECT_NEAR(factor_time(more, 1000, 100).value, expected, 1e-12);
}

// 2 g a (g + a) operations at the rate of the smaller side.
TEST(KfacCost, PreconditioningIsTwoProducts) {
  EXPECT_NEAR(precondition_time(costs(), 10, 1000).value, 2.0 * 10 * 1000 * 1010 / 1e12, 1e-12);
}

// 4 passes of 4 bytes over 10 x 11 / 2 elements, and 9 passes back.
TEST(KfacCost, PackingMovesTheTriangle) {
  KfacCosts more = costs();
  more.packing_passes = 4;
  more.unpacking_passes = 9;
  EXPECT_NEAR(packing_time(more, 10).value, 4 * 4 * 55 / 1e12, 1e-18);
  EXPECT_NEAR(unpacking_time(more, 10).value, 9 * 4 * 55 / 1e12, 1e-18);
}

}  // namespace
}  // namespace stepcast
