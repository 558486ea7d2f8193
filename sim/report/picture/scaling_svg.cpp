#include <fmt/format.h>

#include "sim/report/picture/svg_chart.hpp"
#include "sim/report/text/studies/scaling_report.hpp"

namespace stepcast {

std::string scaling_svg(const Scaling& scaling) {
  LineChart chart{.title = fmt::format("Step time of {}", scaling.workload),
                  .x_label = "GPUs",
                  .y_label = "step ms"};
  for (const std::uint32_t gpus : scaling.gpus)
    chart.positions.push_back(std::to_string(gpus));
  const std::size_t schedules = scaling.curves.size() / scaling.clusters;
  for (std::size_t i = 0; i < scaling.curves.size(); ++i) {
    ChartLine line{.name = scaling.curves[i].schedule,
                   .member = i % schedules,
                   .group = i / schedules,
                   .values = {}};
    for (const Seconds step : scaling.curves[i].steps)
      line.values.push_back(step.value * 1e3);
    chart.lines.push_back(std::move(line));
  }
  if (scaling.clusters == 1)
    chart.title += " on " + scaling.curves.front().cluster;
  else
    for (std::size_t i = 0; i < scaling.clusters; ++i)
      chart.groups.push_back(scaling.curves[i * schedules].cluster);
  return svg_of(chart);
}

}  // namespace stepcast
