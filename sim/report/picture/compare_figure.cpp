#include "sim/report/picture/compare_figure.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "sim/report/fields/step_parts.hpp"
#include "sim/report/picture/bar_chart.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMost = 60;
constexpr double kMilli = 1e3;

void add_step(BarChart& chart, const NamedForecast& named) {
  double begin = 0;
  for (const StepPart& part : step_parts()) {
    const Seconds time = part.time(named.forecast.breakdown);
    if (time < named.forecast.iteration_time * kLeastShown)
      continue;
    const double length = time.value * kMilli;
    chart.bars.push_back({.row = chart.rows.size(),
                          .begin = begin,
                          .end = begin + length,
                          .kind = chart.kind_of(part.name)});
    begin += length;
  }
  chart.rows.push_back(named.name);
  chart.texts.push_back(fmt::format("{:.1f}", named.forecast.iteration_time.value * kMilli));
}

}  // namespace

std::string compare_figure(const std::vector<NamedForecast>& forecasts) {
  std::vector<NamedForecast> shown = forecasts;
  if (shown.size() > kMost) {
    std::ranges::stable_sort(shown, std::greater{},
                             [](const NamedForecast& named) { return named.forecast.throughput; });
    shown.resize(kMost);
  }
  BarChart steps{.title = "Where the step of each goes", .unit = "ms"};
  BarChart gains{.title = "Speed-up: samples a second", .unit = "times", .to = 1, .legend = false};
  for (const NamedForecast& named : shown) {
    add_step(steps, named);
    gains.add_row(named.name, 0, named.speedup, "", fmt::format("{:.3f}", named.speedup));
  }
  std::string title = "Forecasts" + shared_setup(forecasts);
  if (forecasts.size() > kMost)
    title += fmt::format(": the fastest {} of {}", kMost, forecasts.size());
  return sheet_of(title, {panel_of(steps), panel_of(gains)});
}

}  // namespace stepcast
