#include "sim/report/svg_chart.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(SvgChart, AxesEndAtRoundNumbers) {
  EXPECT_EQ(round_up(0), 1);
  EXPECT_EQ(round_up(1), 1);
  EXPECT_EQ(round_up(1.2), 2);
  EXPECT_EQ(round_up(230), 250);
  EXPECT_EQ(round_up(6e-3), 1e-2);
}

// The plot is 496 x 320 from (64, 48): two positions are at 1/4 and 3/4 of its width; 0 is at its
// bottom, 368, and the largest value, which is round, at its top, 48.
TEST(SvgChart, ValuesLieWhereTheAxesSay) {
  const std::string svg =
      svg_of({.positions = {"4", "8"}, .lines = {{.name = "a", .values = {0, 5}}}});
  EXPECT_NE(svg.find("points=\"188.0,368.0 436.0,48.0 \""), std::string::npos) << svg;
}

TEST(SvgChart, NamesAreEscaped) {
  const std::string svg = svg_of({.positions = {"4"}, .lines = {{.name = "a<b&c", .values = {1}}}});
  EXPECT_NE(svg.find(">a&lt;b&amp;c<"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
