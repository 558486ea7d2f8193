#include "sim/report/picture/svg_chart.hpp"

#include <set>

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

// 58 lines of 20 units from 56 on: the last one's ends at 56 + 58 * 20 = 1216, and 16 of margin.
TEST(SvgChart, RangesLieAroundTheirLinesAndWithinTheAxes) {
  const auto with = [](std::vector<double> lows, std::vector<double> highs) {
    return svg_of({.positions = {"4", "8"},
                   .lines = {{.name = "a", .values = {1, 2}, .lows = lows, .highs = highs}}});
  };
  // The axis ends at 5, the highest end of a range: 368 is 0, 48 is 5.
  const std::string svg = with({0.5, 1}, {2, 5});
  EXPECT_NE(svg.find("<line x1=\"188.0\" y1=\"336.0\" x2=\"188.0\" y2=\"240.0\""), svg.npos) << svg;
  EXPECT_NE(svg.find("<line x1=\"436.0\" y1=\"304.0\" x2=\"436.0\" y2=\"48.0\""), svg.npos) << svg;
  EXPECT_EQ(with({}, {}).find("opacity"), svg.npos);
}

TEST(SvgChart, TheSheetGrowsWithTheLegend) {
  LineChart chart{.positions = {"4"}};
  for (std::size_t i = 0; i < 58; ++i)
    chart.lines.push_back({.name = "line", .member = i % 29, .group = i / 29, .values = {1}});
  EXPECT_NE(svg_of(chart).find("height=\"1232\""), std::string::npos);
}

// Everything of a line but where it lies and its name.
TEST(SvgChart, FortyMembersOfFourGroupsAllLookDifferent) {
  std::set<std::string> looks;
  for (std::size_t i = 0; i < 160; ++i) {
    const LineChart chart{.positions = {"4"},
                          .lines = {{.member = i % 40, .group = i / 40, .values = {1}}}};
    looks.insert(svg_of(chart));
  }
  EXPECT_EQ(looks.size(), 160U);
}

TEST(SvgChart, GroupsAreNamedAboveTheirLines) {
  const std::string svg = svg_of({.positions = {"4"},
                                  .groups = {"slow", "fast"},
                                  .lines = {{.name = "a", .group = 0, .values = {1}},
                                            {.name = "a", .group = 1, .values = {1}}}});
  EXPECT_LT(svg.find(">slow<"), svg.find(">a<"));
  EXPECT_LT(svg.find(">a<"), svg.find(">fast<"));
  EXPECT_NE(svg.find(">fast<"), std::string::npos);
}

TEST(SvgChart, ALongTitleStartsAtTheMarginAndWraps) {
  std::string title;
  for (int i = 0; i < 40; ++i)
    title += "word ";  // 200 characters, on lines of at most 100
  const std::string svg = svg_of({.title = title, .positions = {"4"}, .lines = {}});
  EXPECT_NE(svg.find("<text x=\"16.0\" y=\"20.0\" text-anchor=\"start\">word"), std::string::npos);
  EXPECT_NE(svg.find("<text x=\"16.0\" y=\"36.0\" text-anchor=\"start\">word"), std::string::npos);
}

TEST(SvgChart, NamesAreEscaped) {
  const std::string svg = svg_of({.positions = {"4"}, .lines = {{.name = "a<b&c", .values = {1}}}});
  EXPECT_NE(svg.find(">a&lt;b&amp;c<"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
