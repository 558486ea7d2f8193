#include "sim/report/picture/bar_chart.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kLeft = 230, kRight = 800, kWidth = 900;
constexpr double kTop = 30, kRow = 24, kBar = 16, kBelow = 52;
constexpr std::size_t kLongestName = 31;

double end_of(const BarRow& row) {
  double end = row.begin;
  for (const BarPart& part : row.parts)
    end += part.value;
  return end;
}

}  // namespace

Panel panel_of(const BarChart& chart) {
  double end = chart.least_end;
  for (const BarRow& row : chart.rows)
    end = std::max(end, end_of(row));
  if (!(end > 0))
    end = 1;
  const auto x = [&](double value) { return kLeft + (kRight - kLeft) * value / end; };
  std::string out = svg::text(0, 12, "start", chart.title, R"(font-weight="bold")");
  const Panel legend = legend_of(chart.legend, kLeft, 4, kWidth - kLeft);
  out += legend.elements;
  const double top = kTop + std::max(0.0, legend.height - 18);
  const double bottom = top + kRow * static_cast<double>(chart.rows.size());
  out += axis_below({0, end, chart.unit}, kLeft, kRight, top, bottom);
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const BarRow& row = chart.rows[i];
    const double y = top + kRow * static_cast<double>(i) + (kRow - kBar) / 2;
    out += svg::text(kLeft - 8, y + 12, "end", shortened(row.name, kLongestName));
    double at = row.begin;
    for (const BarPart& part : row.parts) {
      if (part.value > 0)
        out += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n", x(at),
            y, x(at + part.value) - x(at), kBar, svg::colour(part.colour));
      at += part.value;
    }
    out += svg::text(x(at) + 6, y + 12, "start", row.text);
  }
  return {out, kWidth, bottom + kBelow};
}

}  // namespace stepcast
