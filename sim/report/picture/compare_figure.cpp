#include "sim/report/picture/compare_figure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/picture/bar_chart.hpp"
#include "sim/report/text/render.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMost = 60;
constexpr double kMilli = 1e3;

BarRow step_of(const NamedForecast& named) {
  const Breakdown& parts = named.forecast.breakdown;
  BarRow row{.name = named.name,
             .text = fmt::format("{:.1f}", named.forecast.iteration_time.value * kMilli)};
  std::size_t colour = 0;
  for (const Seconds time :
       {parts.forward, parts.backward + parts.recomputation, total_of(parts.other_compute),
        total_of(parts.exposed_communication), parts.waiting + parts.bubble, parts.idle})
    row.parts.push_back({time.value * kMilli, colour++});
  return row;
}

}  // namespace

std::string compare_figure(const std::vector<NamedForecast>& forecasts) {
  std::vector<NamedForecast> shown = forecasts;
  if (shown.size() > kMost) {
    std::ranges::stable_sort(shown, std::greater{},
                             [](const NamedForecast& named) { return named.forecast.throughput; });
    shown.resize(kMost);
  }
  BarChart steps{.title = "Where the step of each goes",
                 .unit = "ms",
                 .legend = {"forward", "backward", "other compute", "exposed communication",
                            "waiting", "idle"}};
  BarChart gains{.title = "Speed-up: samples a second", .unit = "times", .least_end = 1};
  for (const NamedForecast& named : shown) {
    steps.rows.push_back(step_of(named));
    gains.rows.push_back({.name = named.name,
                          .parts = {{named.speedup, 0}},
                          .text = fmt::format("{:.3f}", named.speedup)});
  }
  std::string title = title_of(shown.front().forecast);
  if (forecasts.size() > kMost)
    title += fmt::format(" and others: the fastest {} of {}", kMost, forecasts.size());
  return sheet_of(title, {panel_of(steps), panel_of(gains)});
}

}  // namespace stepcast
