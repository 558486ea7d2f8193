#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/report/picture/bar_chart.hpp"
#include "sim/report/picture/compare_figure.hpp"
#include "sim/report/picture/gantt_chart.hpp"
#include "sim/report/png/png.hpp"
#include "sim/report/png/png_module.hpp"
#include "traces/module_file.hpp"

namespace stepcast {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(BarChart, APartThatTakesNothingHasNoRectangle) {
  const BarChart chart{.title = "a",
                       .unit = "ms",
                       .rows = {{.name = "x", .parts = {{2, 0}, {0, 1}, {1, 2}}, .text = "3"}}};
  EXPECT_EQ(count(panel_of(chart).elements, "<rect"), 2U);
}

TEST(BarChart, NamesAreText) {
  const BarChart chart{.title = "<script>", .unit = "ms", .rows = {{.name = "<b>&", .parts = {}}}};
  const std::string elements = panel_of(chart).elements;
  EXPECT_EQ(elements.find("<script>"), elements.npos);
  EXPECT_NE(elements.find("&lt;b&gt;&amp;"), elements.npos);
}

GanttChart chart_of(std::size_t bars, double length) {
  GanttChart chart{.title = "", .unit = "ms", .from = 0, .to = 100, .rows = {"a"}, .kinds = {"k"}};
  for (std::size_t i = 0; i < bars; ++i) {
    const double begin = 100.0 * static_cast<double>(i) / static_cast<double>(bars);
    chart.bars.push_back({.row = 0, .begin = begin, .end = begin + length, .kind = 0});
  }
  return chart;
}

TEST(GanttChart, BarsThatCannotBeToldApartAreOne) {
  // The legend has a rectangle of its own.
  EXPECT_EQ(count(panel_of(chart_of(10, 5)).elements, "<rect"), 11U);
  EXPECT_LT(count(panel_of(chart_of(100'000, 0.0009)).elements, "<rect"), 4000U);
}

TEST(GanttChart, BarsAreCutWhereItBeginsAndEnds) {
  GanttChart chart = chart_of(0, 0);
  chart.bars = {{.row = 0, .begin = -5, .end = 10}, {.row = 0, .begin = 150, .end = 160}};
  const std::string elements = panel_of(chart).elements;
  EXPECT_EQ(count(elements, "<rect"), 2U);
  EXPECT_NE(elements.find("<rect x=\"230.00\""), elements.npos) << elements;
}

TEST(CompareFigure, OfManyTheFastestAreDrawn) {
  std::vector<NamedForecast> forecasts(70);
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    forecasts[i].name = "row " + std::to_string(i);
    forecasts[i].forecast.throughput = static_cast<double>(i + 1);
  }
  const std::string svg = compare_figure(forecasts);
  EXPECT_NE(svg.find("the fastest 60 of 70"), svg.npos);
  EXPECT_NE(svg.find(">row 69<"), svg.npos);
  EXPECT_EQ(svg.find(">row 9<"), svg.npos);
}

// Width and height stand behind the signature and the head of the first chunk.
std::uint32_t number_at(const std::string& png, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number * 256 + static_cast<unsigned char>(png.at(at + i));
  return number;
}

TEST(Png, IsTwiceTheSizeOfItsDocument) {
  std::error_code error;
  if (!std::filesystem::exists(module_file(kPngModule), error)) {
    EXPECT_THROW(require_png("a.png"), InputError);
    GTEST_SKIP() << "this build has no librsvg (scripts/setup --page)";
  }
  require_png("a.png");
  const std::string png = png_of(compare_figure({{"a", Forecast{}, 1}}));
  ASSERT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(number_at(png, 16), 2U * 932);
  EXPECT_GT(number_at(png, 20), 300U);
  EXPECT_THROW(png_of("<svg"), SimulationError);
}

}  // namespace
}  // namespace stepcast
