#include "sim/report/picture/figures.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/report/picture/bar_chart.hpp"
#include "sim/report/picture/colours.hpp"
#include "sim/report/picture/compare_figure.hpp"
#include "sim/report/png/png.hpp"
#include "sim/report/png/png_module.hpp"
#include "tests/support/owned_job.hpp"
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
  BarChart chart{
      .title = "a", .unit = "ms", .rows = {"x"}, .kinds = {"a", "b", "c"}, .legend = false};
  chart.bars = {{.end = 2}, {.begin = 2, .end = 2, .kind = 1}, {.begin = 2, .end = 3, .kind = 2}};
  EXPECT_EQ(count(panel_of(chart).elements, "<rect"), 2U);
}

TEST(BarChart, NamesAreText) {
  const BarChart chart{.title = "<script>", .unit = "ms", .rows = {"<b>&"}};
  const std::string elements = panel_of(chart).elements;
  EXPECT_EQ(elements.find("<script>"), elements.npos);
  EXPECT_NE(elements.find("&lt;b&gt;&amp;"), elements.npos);
}

TEST(BarChart, AKindOfWorkHasItsColourInEveryChart) {
  BarChart chart{.title = "a", .unit = "ms", .legend = false};
  chart.add_row("b", 0, 1, "exposed communication: all-gather", "");
  EXPECT_NE(panel_of(chart).elements.find("#882255"), std::string::npos);
  EXPECT_STREQ(colour_of_work("other compute: packing", 0), "#44aa99");
  EXPECT_STREQ(colour_of_work("what nobody knows", 1), kPalette[1]);
}

BarChart chart_of(std::size_t bars, double length) {
  BarChart chart{.unit = "ms", .to = 100, .cut = true, .rows = {"a"}, .kinds = {"k"}};
  for (std::size_t i = 0; i < bars; ++i) {
    const double begin = 100.0 * static_cast<double>(i) / static_cast<double>(bars);
    chart.bars.push_back({.row = 0, .begin = begin, .end = begin + length, .kind = 0});
  }
  return chart;
}

TEST(BarChart, BarsThatCannotBeToldApartAreOne) {
  // The legend has a rectangle of its own.
  EXPECT_EQ(count(panel_of(chart_of(10, 5)).elements, "<rect"), 11U);
  EXPECT_LT(count(panel_of(chart_of(100'000, 0.0009)).elements, "<rect"), 4000U);
}

TEST(BarChart, BarsAreCutWhereItBeginsAndEnds) {
  BarChart chart = chart_of(0, 0);
  chart.bars = {{.row = 0, .begin = -5, .end = 10}, {.row = 0, .begin = 150, .end = 160}};
  const std::string elements = panel_of(chart).elements;
  EXPECT_EQ(count(elements, "<rect"), 2U);
  EXPECT_NE(elements.find("<rect x=\"230.00\""), elements.npos) << elements;
}

// 8.9 units a percent: "17" takes 12 and some room.
TEST(BarChart, BarsBearTextWhereItFits) {
  BarChart chart = chart_of(0, 0);
  chart.bars = {{.row = 0, .begin = 0, .end = 2, .text = "17"},
                {.row = 0, .begin = 10, .end = 11, .text = "18"},
                {.row = 0, .begin = 20, .end = 22, .lighter = 0.4, .text = "19"}};
  const std::string elements = panel_of(chart).elements;
  EXPECT_EQ(count(elements, ">17<"), 1U);
  EXPECT_EQ(count(elements, ">18<"), 0U);
  EXPECT_EQ(count(elements, ">19<"), 1U);
  EXPECT_EQ(count(elements, R"(fill-opacity="0.60")"), 1U);
}

// Of each stage both parts' passes of each of eight micro-batches, forward and backward.
TEST(PipelineFigure, PassesBearTheNumbersOfTheirMicroBatches) {
  for (const char* schedule : {"interleaved", "dualpipe", "zb-h1"}) {
    OwnedJob scenario = transformer_scenario(
        schedule, {{"tp", "8"}, {"pp", "4"}, {"global_batch", "8"}, {"recompute", "full"}}, 4);
    scenario.engine.fidelity = Fidelity::Analytic;
    const std::string svg = run_figure(simulated(scenario));
    const bool halves = std::string(schedule) == "zb-h1";
    for (int batch = 0; batch < 8; ++batch)
      EXPECT_GE(count(svg, fmt::format(">{}</text>", batch)), halves ? 12U : 8U)
          << schedule << batch;
    EXPECT_EQ(svg.find("gradients of weights") != svg.npos, std::string(schedule) != "interleaved");
    EXPECT_EQ(svg.find("lighter: other parts") != svg.npos, !halves);
  }
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
  EXPECT_EQ(number_at(png, 16), 2U * 1232);
  EXPECT_GT(number_at(png, 20), 300U);
  EXPECT_THROW(png_of("<svg"), SimulationError);
}

}  // namespace
}  // namespace stepcast
