#include "sim/report/text/studies/boundaries_report.hpp"

#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/report/picture/heat_map.hpp"
#include "sim/report/picture/sweep_figure.hpp"
#include "sim/report/text/sweep_grid.hpp"

namespace stepcast {
namespace {

// Two densities and two schedules: b wins at the first, a at the second.
std::vector<SweepRow> two_by_two() {
  std::vector<SweepRow> rows;
  const auto add = [&](const char* schedule, const char* density, double seconds) {
    Forecast forecast{.schedule = schedule};
    forecast.workload = "w";
    forecast.cluster = "c";
    forecast.gpus = 8;
    forecast.iteration_time = Seconds{seconds};
    forecast.throughput = 1 / seconds;
    rows.push_back({{{"nodes", "4"}, {"schedule", schedule}, {"density", density}}, forecast, 0});
  };
  add("a", "-", 4);
  add("b", "0.01", 2);
  add("b", "0.1", 5);
  return rows;
}

std::vector<JobBoundaries> one_job() {
  return {{{{"nodes", "4"}}, 8, {{"b", "a", 0.5, {0.02, 0, 2, 0.03, 0.03}}}}};
}

TEST(SweepMap, NamesWinnersAndTheirSpeedUp) {
  const std::string text = render_map(two_by_two(), "density");
  EXPECT_NE(text.find("  0.01     0.1\n------  ------\nB 2.00  A 1.00\n"), std::string::npos)
      << text;
}

TEST(SweepMap, TheFirstOfEqualsIsTheFastest) {
  std::vector<SweepRow> rows = two_by_two();
  rows[1].forecast.throughput = rows[0].forecast.throughput;
  EXPECT_EQ(grid_of_fastest(rows, "density").lines[0].rows[0]->forecast.schedule, "a");
}

TEST(SweepMap, TheBoundariesAreATable) {
  const std::string text = render_boundaries(one_job());
  EXPECT_NE(
      text.find(
          "\n   8       0.5       0.02           never        always        0.03      0.03\n"),
      std::string::npos)
      << text;
}

TEST(SweepMap, TheExplanationFollowsTheBoundaryFromModelToModel) {
  const std::string text = render_boundaries(one_job());
  const std::string why = text.substr(text.find("Why"));
  EXPECT_NE(why.find("a overtakes b at density 0.02"), std::string::npos) << why;
  EXPECT_NE(why.find("free selection moves it to never"), std::string::npos) << why;
}

TEST(SweepMap, TheExplanationSaysWhereBytesAloneGiveNoDensity) {
  std::vector<JobBoundaries> jobs = one_job();
  jobs[0].boundaries[0].analytic = kNever;
  EXPECT_NE(render_boundaries(jobs).find("faster at every density. Leaving"), std::string::npos)
      << render_boundaries(jobs);
}

TEST(SweepMap, JsonSaysWhereThereIsNoBoundary) {
  const auto json = boundaries_json(one_job());
  EXPECT_EQ(json[0]["combination"]["nodes"], "4");
  EXPECT_EQ(json[0]["boundaries"][0]["simulated_density"]["free selection"], "never");
  EXPECT_EQ(json[0]["boundaries"][0]["simulated_density"]["simulated"], 0.02);
}

/// Where something is drawn.
struct Shape {
  double x = 0;
  double y = 0;
  double radius = 0;
};

constexpr const char* kMark = "<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"([0-9.]+)";

constexpr const char* kNumber = "<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" text-anchor=\"middle\"()";

std::vector<Shape> shapes_in(const std::string& svg, const char* pattern) {
  const auto number = [](const std::string& text) { return text.empty() ? 0 : std::stod(text); };
  std::vector<Shape> shapes;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(svg.begin(), svg.end(), expression), end; at != end; ++at)
    shapes.push_back({number((*at)[1]), number((*at)[2]), number((*at)[3])});
  return shapes;
}

// Two columns are as wide as the label below them, 38 letters of 8, so 152 each. At 0.01 and 0.1: a
// boundary at 0.0316 lies half-way between their centres: at 120 + 152. One at 0.5 is beyond the
// map.
TEST(SweepMap, MarksLieBetweenTheColumnsOfTheirDensities) {
  std::vector<JobBoundaries> jobs = one_job();
  jobs[0].boundaries[0].simulated[0] = std::sqrt(0.01 * 0.1);
  const std::string svg = map_svg(two_by_two(), "density", jobs);
  const std::vector<Shape> marks = shapes_in(svg, kMark);
  ASSERT_EQ(marks.size(), 1U + 2U) << svg;  // and two in the legend
  EXPECT_EQ(marks[0].x, 272) << svg;
}

// Text of 14 units reaches about 11 above its line and 4 below it.
TEST(SweepMap, NumbersAndMarksDoNotCollide) {
  std::vector<JobBoundaries> jobs = one_job();
  Boundary& boundary = jobs[0].boundaries[0];
  boundary.analytic = boundary.simulated[0] = 0.01;  // in the middle of the first column
  const std::string svg = map_svg(two_by_two(), "density", jobs);
  const std::vector<Shape> marks = shapes_in(svg, kMark);
  const std::vector<Shape> texts = shapes_in(svg, kNumber);
  EXPECT_EQ(marks.size(), 2U + 2U) << svg;  // and two in the legend
  for (const Shape& mark : marks)
    for (const Shape& text : texts) {
      if (std::abs(mark.x - text.x) >= 30)
        continue;
      EXPECT_TRUE(mark.y + mark.radius < text.y - 11 || mark.y - mark.radius > text.y + 4) << svg;
    }
}

TEST(HeatMap, WritesTextAsText) {
  HeatMap map{.title = "a < b & c",
              .x_label = "x",
              .y_label = "y",
              .columns = {"1"},
              .rows = {"2"},
              .category = {{0}},
              .strength = {{1}},
              .text = {{"cell"}},
              .marks = {{"mark", {std::numeric_limits<double>::quiet_NaN()}, true, false}}};
  const std::string svg = to_svg("title", {map}, {"first"}, {"note"});
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  for (const char* text : {">cell<", ">first<", ">note<", ">mark<", ">title<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
