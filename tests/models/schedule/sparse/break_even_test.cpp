#include "models/schedule/sparse/break_even.hpp"

#include <gtest/gtest.h>

namespace stepcast::sparse {
namespace {

constexpr Encoding kHalf{.value = {2}};
constexpr Encoding kBitmap{.bitmap = true};
constexpr Bytes kFp32{4};

TEST(BreakEven, EntriesOfEightBytesGiveThePublishedConditions) {
  EXPECT_DOUBLE_EQ(break_even_with_gathering({}, 32), 1.0 / 62);  // 1 / (2 x 31)
  EXPECT_DOUBLE_EQ(break_even_with_whole_gradients({}, kFp32), 0.5);
}

// x = 6 rho: 6 rho = 4 / 3 with four ranks, 6 rho = 4 beside fp32 gradients.
TEST(BreakEven, HalfPrecisionValuesMoveBothUp) {
  EXPECT_DOUBLE_EQ(break_even_with_gathering(kHalf, 4), 2.0 / 9);
  EXPECT_DOUBLE_EQ(break_even_with_whole_gradients(kHalf, kFp32), 2.0 / 3);
}

// x = 4 rho + 1/8: 4 rho = 4 / 7 - 1 / 8 = 25 / 56 with eight ranks, 4 rho = 4 - 1 / 8 = 31 / 8.
TEST(BreakEven, ABitmapIsSentHoweverFewTheEntries) {
  EXPECT_DOUBLE_EQ(break_even_with_gathering(kBitmap, 8), 25.0 / 224);
  EXPECT_DOUBLE_EQ(break_even_with_whole_gradients(kBitmap, kFp32), 31.0 / 32);
}

// The bitmaps of 33 ranks alone are 32 / 8 = 4 bytes an element, a whole gradient.
TEST(BreakEven, GatheredBitmapsOfManyRanksAreNeverLess) {
  EXPECT_DOUBLE_EQ(break_even_with_gathering(kBitmap, 33), 0);
  EXPECT_LT(break_even_with_gathering(kBitmap, 64), 0);
}

// 2 x 2 - 4 = 0 bytes are left for a selection.
TEST(BreakEven, SumsInFp32NeverPayBesideGradientsOfTwoBytes) {
  EXPECT_DOUBLE_EQ(break_even_with_whole_gradients({}, Bytes{2}), 0);
}

}  // namespace
}  // namespace stepcast::sparse
