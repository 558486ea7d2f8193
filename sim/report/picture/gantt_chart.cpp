#include "sim/report/picture/gantt_chart.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kLeft = 230, kRight = 1180, kWidth = 1200;
constexpr double kTop = 30, kRow = 24, kBar = 18, kBelow = 52;
constexpr double kVisible = 0.3;   // units: what is narrower cannot be seen by itself
constexpr double kOutlined = 3.0;  // bars from this width on have a line between them
constexpr double kDigit = 6, kBesideText = 3;
constexpr double kDark = 0.3;  // colours that are no lighter take white text
constexpr std::size_t kLongestName = 31;

/// Bars in units of the picture, by row, then by begin; what cannot be told apart is one.
std::vector<GanttBar> visible_bars(const GanttChart& chart) {
  const double scale = (kRight - kLeft) / (chart.to - chart.from);
  std::vector<GanttBar> bars;
  for (GanttBar bar : chart.bars) {
    bar.begin = kLeft + scale * (std::max(bar.begin, chart.from) - chart.from);
    bar.end = kLeft + scale * (std::min(bar.end, chart.to) - chart.from);
    if (bar.end > bar.begin)
      bars.push_back(bar);
  }
  std::ranges::sort(bars, [](const GanttBar& a, const GanttBar& b) {
    return std::tie(a.row, a.begin, a.end) < std::tie(b.row, b.begin, b.end);
  });
  std::vector<GanttBar> merged;
  for (const GanttBar& bar : bars) {
    GanttBar* before = merged.empty() ? nullptr : &merged.back();
    const bool too_narrow = bar.end - bar.begin < kOutlined;
    if (before != nullptr && before->row == bar.row && before->kind == bar.kind && too_narrow &&
        bar.begin - before->end < kVisible)
      before->end = std::max(before->end, bar.end);
    else
      merged.push_back(bar);
  }
  return merged;
}

std::string drawn(const GanttBar& bar, double top) {
  const double y = top + kRow * static_cast<double>(bar.row) + (kRow - kBar) / 2;
  const double width = bar.end - bar.begin;
  std::string out = fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"{}{}/>\n",
      bar.begin, y, std::max(kVisible, width), kBar, svg::colour(bar.kind),
      bar.lighter > 0 ? fmt::format(R"( fill-opacity="{:.2f}")", 1 - bar.lighter) : "",
      width < kOutlined ? "" : R"( stroke="white" stroke-width=".6")");
  if (!bar.text.empty() && width > kDigit * static_cast<double>(bar.text.size()) + kBesideText)
    out += svg::text((bar.begin + bar.end) / 2, y + kBar - 5, "middle", bar.text,
                     bar.lighter < kDark ? R"(font-size="10" fill="white")" : R"(font-size="10")");
  return out;
}

}  // namespace

Panel panel_of(const GanttChart& chart) {
  std::string out = svg::text(0, 12, "start", chart.title, R"(font-weight="bold")");
  const Panel legend = legend_of(chart.kinds, kLeft, 4, kWidth - kLeft);
  out += legend.elements;
  const double top = kTop + std::max(0.0, legend.height - 18);
  const double bottom = top + kRow * static_cast<double>(chart.rows.size());
  out += axis_below({chart.from, chart.to, chart.unit}, kLeft, kRight, top, bottom);
  for (std::size_t row = 0; row < chart.rows.size(); ++row)
    out += svg::text(kLeft - 8, top + kRow * static_cast<double>(row) + kRow / 2 + 4, "end",
                     shortened(chart.rows[row], kLongestName));
  for (const GanttBar& bar : visible_bars(chart))
    out += drawn(bar, top);
  if (!chart.remark.empty())
    out += svg::text(kLeft, bottom + kBelow - 4, "start", chart.remark, R"(font-size="11")");
  return {out, kWidth, bottom + kBelow};
}

}  // namespace stepcast
