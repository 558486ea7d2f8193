#include "sim/report/picture/scatter_plot.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

const ScatterLabels kLabels{.title = "a & b", .across = "measured", .up = "predicted"};

TEST(ScatterPlot, PutsEqualValuesOnTheDiagonal) {
  // The range is 1 ms to 10 ms. The lower left corner lies at (74, 524), 480 pixels from the
  // others.
  const std::string svg = render_scatter_plot(
      {{.name = "gemm", .points = {{1e-3, 1e-3, ""}, {1e-2, 1e-2, ""}}}}, kLabels);
  EXPECT_NE(svg.find(R"(<circle cx="74.0" cy="524.0")"), std::string::npos) << svg;
  EXPECT_NE(svg.find(R"(<circle cx="554.0" cy="44.0")"), std::string::npos) << svg;
}

TEST(ScatterPlot, EscapesTextAndLeavesEmptySeriesOut) {
  const std::string svg = render_scatter_plot(
      {{.name = "<empty>", .points = {}}, {.name = "x", .points = {{1, 1, "\"q\""}}}}, kLabels);
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_NE(svg.find("&quot;q&quot;"), std::string::npos);
  EXPECT_EQ(svg.find("empty"), std::string::npos);
}

TEST(ScatterPlot, SaysThatThereAreNoPoints) {
  EXPECT_NE(render_scatter_plot({}, kLabels).find("no points"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
