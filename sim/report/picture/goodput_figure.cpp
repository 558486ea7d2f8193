#include <algorithm>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/picture/svg_chart.hpp"
#include "sim/study/goodput/goodput.hpp"

namespace stepcast {
namespace {

// So many labels of an axis are legible; the others stay empty.
constexpr std::size_t kMostLabels = 15;

}  // namespace

std::string goodput_svg(const Goodput& goodput) {
  constexpr double kDay = 86400;
  const std::size_t bins = goodput.bins.size();
  const double days = goodput.length.value / kDay / static_cast<double>(bins);
  LineChart chart{.title = fmt::format("Work that stays done: {} over {} seeds",
                                       percent(goodput.efficiency), goodput.seeds),
                  .x_label = "day",
                  .y_label = "% of the time"};
  const std::size_t every = (bins + kMostLabels - 1) / kMostLabels;
  ChartLine p5{.name = "P5", .member = 0, .group = 0, .values = {}};
  ChartLine p50{.name = "P50", .member = 1, .group = 0, .values = {}};
  ChartLine p95{.name = "P95", .member = 2, .group = 0, .values = {}};
  for (std::size_t bin = 0; bin < bins; ++bin) {
    chart.positions.push_back(
        bin % every == 0 ? fmt::format("{:.4g}", static_cast<double>(bin + 1) * days) : "");
    p5.values.push_back(100 * std::max(0.0, goodput.bins[bin].p5));
    p50.values.push_back(100 * std::max(0.0, goodput.bins[bin].p50));
    p95.values.push_back(100 * std::max(0.0, goodput.bins[bin].p95));
  }
  chart.lines = {p95, p50, p5};
  return svg_of(chart);
}

}  // namespace stepcast
