#include "sim/report/picture/scaling_figure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/picture/svg_chart.hpp"
#include "sim/report/text/studies/scaling_report.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostDrawn = 8;

Seconds last_step_of(const std::vector<ScalingCurve>& curves, const std::string& schedule) {
  Seconds sum{};
  for (const ScalingCurve& curve : curves)
    sum += curve.schedule == schedule ? curve.steps.back() : Seconds{};
  return sum;
}

bool has_ranges(const ScalingCurve& curve) {
  return std::ranges::all_of(curve.highs, [](Seconds high) { return high.value > 0; });
}

void add_ranges(ChartLine& line, const ScalingCurve& curve) {
  if (!has_ranges(curve))
    return;
  for (std::size_t i = 0; i < curve.lows.size(); ++i) {
    line.lows.push_back(curve.lows[i].value * 1e3);
    line.highs.push_back(curve.highs[i].value * 1e3);
  }
}

void add_lines(LineChart& chart, const std::vector<ScalingCurve>& curves, std::size_t schedules) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    ChartLine line{
        .name = curves[i].schedule, .member = i % schedules, .group = i / schedules, .values = {}};
    for (const Seconds step : curves[i].steps)
      line.values.push_back(step.value * 1e3);
    add_ranges(line, curves[i]);
    chart.lines.push_back(std::move(line));
  }
}

std::string title_of(const ScalingFigure& figure, bool one_cluster) {
  std::string title = fmt::format("Step time of {}", figure.workload);
  if (one_cluster)
    title += " on " + figure.curves.front().cluster;
  if (has_ranges(figure.curves.front()))
    title += "; bars: where a measured step is likely to lie";
  return figure.left_out == 0 ? title : fmt::format("{}: {}", title, which_curves(figure));
}

}  // namespace

ScalingFigure figure_of(const Scaling& scaling) {
  ScalingFigure figure{
      .workload = scaling.workload, .sizes = scaling.sizes, .curves = scaling.curves};
  std::erase_if(figure.curves, [&](const ScalingCurve& curve) {
    return curve.steps.size() < figure.sizes.size();
  });
  return figure;
}

std::vector<std::string> schedules_of(const std::vector<ScalingCurve>& curves) {
  std::vector<std::string> names;
  for (const ScalingCurve& curve : curves)
    if (std::ranges::find(names, curve.schedule) == names.end())
      names.push_back(curve.schedule);
  return names;
}

void keep_fastest(ScalingFigure& figure) {
  std::vector<ScalingCurve>& curves = figure.curves;
  std::vector<std::string> names = schedules_of(curves);
  const std::size_t all = curves.size();
  const std::size_t clusters = all / names.size();
  std::ranges::stable_sort(names, {},
                           [&](const std::string& name) { return last_step_of(curves, name); });
  names.resize(std::min(names.size(), std::max<std::size_t>(kMostDrawn / clusters, 1)));
  std::erase_if(curves, [&](const ScalingCurve& curve) {
    return std::ranges::find(names, curve.schedule) == names.end();
  });
  curves.resize(std::min(curves.size(), kMostDrawn));
  figure.left_out = all - curves.size();
}

std::string which_curves(const ScalingFigure& figure) {
  return fmt::format("{} of {} curves, of the schedules that are fastest on {}",
                     figure.curves.size(), figure.curves.size() + figure.left_out,
                     label_of(figure.sizes.back(), figure.sizes));
}

std::string svg_of(const ScalingFigure& figure) {
  const std::vector<ScalingCurve>& curves = figure.curves;
  const std::size_t schedules = schedules_of(curves).size();
  const bool one_cluster = schedules == curves.size();
  LineChart chart{.title = title_of(figure, one_cluster), .x_label = "GPUs", .y_label = "step ms"};
  for (const ScalingSize& size : figure.sizes)
    chart.positions.push_back(nodes_differ(figure.sizes)
                                  ? fmt::format("{} x {}", size.nodes, size.gpus_per_node)
                                  : std::to_string(size.gpus()));
  add_lines(chart, curves, schedules);
  for (std::size_t i = 0; !one_cluster && i < curves.size(); i += schedules)
    chart.groups.push_back(curves[i].cluster);
  return svg_of(chart);
}

}  // namespace stepcast
