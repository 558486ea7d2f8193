#include "sim/probe/triangle.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(Triangle, PacksColumnAfterColumn) {
  // Columns of 1, 2, 3, ... elements leave no place out.
  std::uint64_t next = 0;
  for (std::uint64_t column = 0; column < 50; ++column)
    for (std::uint64_t row = 0; row <= column; ++row)
      EXPECT_EQ(packed_place(row, column), next++);
}

TEST(Triangle, FindsTheElementOfAPlace) {
  // 4e10 elements, beyond what 32 bits and a float's root hold.
  for (const std::uint64_t column : {0ULL, 1ULL, 2ULL, 4607ULL, 14141ULL, 282842ULL})
    for (const std::uint64_t row : {std::uint64_t{0}, column / 2, std::uint64_t{column}}) {
      const TrianglePlace place = triangle_place(packed_place(row, column));
      EXPECT_EQ(place.row, row);
      EXPECT_EQ(place.column, column);
    }
}

TEST(Triangle, ScattersEveryValueToAPlaceOfItsOwn) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_GE(scatter_place(i, 100), i * 100);
    EXPECT_LT(scatter_place(i, 100), (i + 1) * 100);
  }
}

}  // namespace
}  // namespace stepcast
