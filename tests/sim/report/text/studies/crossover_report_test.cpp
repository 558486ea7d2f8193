#include "sim/report/text/studies/crossover_report.hpp"

#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/report/picture/heat_map.hpp"

namespace stepcast {
namespace {

// Two densities and two schedules: b wins at the first, a at the second.
Crossover two_by_two() {
  CrossoverRow row{.nodes = 4, .gpus = 8, .bandwidth = {1.25e9}};
  row.times = {{{4.0}, {2.0}}, {{4.0}, {5.0}}};
  row.ranges = {{.low = 0.5, .high = 2, .basis = "some"}, {.low = 0, .high = 0, .basis = {}}};
  row.boundaries = {{"b", "a", 0.5, {0.02, 0, 2}}};
  return {.workload = "w",
          .cluster = "c",
          .fidelity = "analytic",
          .schedules = {"a", "b"},
          .densities = {0.01, 0.1},
          .models = {"simulated", "second", "third"},
          .rows = {row}};
}

TEST(Crossover, TheFirstOfEqualsIsTheFastest) {
  EXPECT_EQ(fastest_of({{2.0}, {1.0}, {1.0}}), 1U);
}

TEST(Crossover, TablesNameWinnersAndTheirSpeedUp) {
  const std::string text = render_crossover(two_by_two());
  EXPECT_NE(text.find("    4     8  10 Gb/s  B 2.00  A 1.00\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   8  10 Gb/s       0.5       0.02   never  always\n"), std::string::npos)
      << text;
}

TEST(Crossover, TheExplanationFollowsTheBoundaryFromModelToModel) {
  const std::string text = render_crossover(two_by_two());
  const std::string why = text.substr(text.find("Why"));
  EXPECT_NE(why.find("a overtakes b at density 0.02"), std::string::npos) << why;
  EXPECT_NE(why.find("second moves it"), std::string::npos) << why;
}

TEST(Crossover, TheExplanationSaysWhereBytesAloneGiveNoDensity) {
  Crossover crossover = two_by_two();
  crossover.rows[0].boundaries[0].analytic = kNever;
  EXPECT_NE(render_crossover(crossover).find("that a is faster at every density."),
            std::string::npos)
      << render_crossover(crossover);
}

TEST(Crossover, CsvHasALineForEveryForecast) {
  EXPECT_EQ(
      crossover_csv_head() + crossover_csv_rows(two_by_two(), two_by_two().rows[0]),
      "nodes,gpus,nic_bandwidth_bytes_per_s,density,schedule,iteration_time_s,speedup,fastest\n"
      "4,8,1.25e+09,0.01,a,4,1,0\n"
      "4,8,1.25e+09,0.01,b,2,2,1\n"
      "4,8,1.25e+09,0.1,a,4,1,1\n"
      "4,8,1.25e+09,0.1,b,5,0.8,0\n");
}

TEST(Crossover, JsonSaysWhereThereIsNoBoundary) {
  const std::string json = crossover_json(two_by_two());
  EXPECT_NE(json.find("\"second\": \"never\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"simulated\": 0.02"), std::string::npos) << json;
}

// 0.5 and 2 of 4 s; of b nobody knows.
TEST(Crossover, JsonSaysWhereTimesAreLikelyToLieAsFarAsThatIsKnown) {
  const auto json = nlohmann::json::parse(crossover_json(two_by_two()));
  const nlohmann::json& cell = json["networks"][0]["cells"][0];
  EXPECT_EQ(cell["iteration_time_low_s"], (nlohmann::json{{"a", 2.0}}));
  EXPECT_EQ(cell["iteration_time_high_s"], (nlohmann::json{{"a", 8.0}}));
  EXPECT_EQ(cell["error_basis"], (nlohmann::json{{"a", "some"}}));
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
TEST(Crossover, MarksLieBetweenTheColumnsOfTheirDensities) {
  Crossover crossover = two_by_two();
  crossover.rows[0].boundaries[0].simulated[0] = std::sqrt(0.01 * 0.1);
  const std::string svg = crossover_svg(crossover);
  const std::vector<Shape> marks = shapes_in(svg, kMark);
  ASSERT_EQ(marks.size(), 1U + 2U) << svg;  // and two in the legend
  EXPECT_EQ(marks[0].x, 272) << svg;
}

// Text of 14 units reaches about 11 above its line and 4 below it.
TEST(Crossover, NumbersAndMarksDoNotCollide) {
  Crossover crossover = two_by_two();
  for (CrossoverRow& row : crossover.rows)
    for (Boundary& boundary : row.boundaries)
      boundary.analytic = boundary.simulated[0] = 0.01;  // in the middle of the first column
  const std::string svg = crossover_svg(crossover);
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
