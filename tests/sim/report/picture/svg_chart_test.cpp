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

// The plot is 640 x 320 from (74, 30), below one row of the legend: two positions are at 1/4 and
// 3/4 of its width; 0 is at its bottom, 350, and the largest value, which is round, at its top, 30.
TEST(SvgChart, ValuesLieWhereTheAxesSay) {
  const std::string svg =
      svg_of({.positions = {"4", "8"}, .lines = {{.name = "a", .values = {0, 5}}}});
  EXPECT_NE(svg.find("points=\"234.0,350.0 554.0,30.0 \""), std::string::npos) << svg;
}

TEST(SvgChart, RangesLieAroundTheirLinesAndWithinTheAxes) {
  const auto with = [](std::vector<double> lows, std::vector<double> highs) {
    return svg_of({.positions = {"4", "8"},
                   .lines = {{.name = "a", .values = {1, 2}, .lows = lows, .highs = highs}}});
  };
  // The axis ends at 5, the highest end of a range: 350 is 0, 30 is 5.
  const std::string svg = with({0.5, 1}, {2, 5});
  EXPECT_NE(svg.find("<line x1=\"234.0\" y1=\"318.0\" x2=\"234.0\" y2=\"222.0\""), svg.npos) << svg;
  EXPECT_NE(svg.find("<line x1=\"554.0\" y1=\"286.0\" x2=\"554.0\" y2=\"30.0\""), svg.npos) << svg;
  EXPECT_EQ(with({}, {}).find("opacity"), svg.npos);
}

// A name of four letters takes 74 of 640 units, so that a row of the legend holds eight: 58 lines
// take eight rows of 18 units, where one line takes one.
TEST(SvgChart, TheSheetGrowsWithTheLegend) {
  LineChart chart{.positions = {"4"}};
  for (std::size_t i = 0; i < 58; ++i)
    chart.lines.push_back({.name = "line", .member = i, .values = {1}});
  const double many = panel_of(chart).height;
  chart.lines.resize(1);
  EXPECT_EQ(many - panel_of(chart).height, 7 * 18);
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
  EXPECT_NE(svg.find("<text x=\"16.0\" y=\"20.0\" text-anchor=\"start\" font-weight=\"bold\">word"),
            std::string::npos);
  EXPECT_NE(svg.find("<text x=\"16.0\" y=\"36.0\" text-anchor=\"start\" font-weight=\"bold\">word"),
            std::string::npos);
}

TEST(SvgChart, NamesAreEscaped) {
  const std::string svg = svg_of({.positions = {"4"}, .lines = {{.name = "a<b&c", .values = {1}}}});
  EXPECT_NE(svg.find(">a&lt;b&amp;c<"), std::string::npos);
}

LineChart of_times(std::vector<ChartLine> lines) {
  return {
      .title = "a & b", .x_label = "measured", .y_label = "predicted", .lines = lines, .band = 1.1};
}

// The range is 1 ms to 10 ms. The lower left corner lies at (74, 670), 640 units from the others.
TEST(SvgChart, EqualTimesLieOnTheDiagonal) {
  const std::string svg = svg_of(
      of_times({{.name = "gemm", .values = {1e-3, 1e-2}, .at = {1e-3, 1e-2}, .joined = false}}));
  EXPECT_NE(svg.find("translate(74.0 670.0)"), std::string::npos) << svg;
  EXPECT_NE(svg.find("translate(714.0 30.0)"), std::string::npos) << svg;
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_EQ(svg.find("polyline"), std::string::npos);
}

TEST(SvgChart, MarksHaveLabelsThatAreText) {
  const std::string svg = svg_of(
      of_times({{.name = "x", .values = {1}, .at = {1}, .labels = {"\"q\""}, .joined = false}}));
  EXPECT_NE(svg.find("<title>&quot;q&quot;</title>"), std::string::npos);
}

TEST(SvgChart, SaysThatThereAreNoPoints) {
  EXPECT_NE(svg_of(of_times({})).find("no points"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
