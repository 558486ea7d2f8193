#include "sim/report/picture/panel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"

namespace stepcast {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 34;
constexpr double kLetter = 7;  // width of a letter, on the safe side
constexpr double kLegendLine = 18;
constexpr int kLeastTicks = 5;

}  // namespace

std::string sheet_of(std::string_view title, const std::vector<Panel>& panels) {
  double width = kLetter * static_cast<double>(title.size());
  double below = kTitle;
  std::string out = svg::text(kMargin, kTitle - 12, "start", title, R"(font-weight="bold")");
  for (const Panel& panel : panels) {
    out += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", kMargin, below,
                       panel.elements);
    width = std::max(width, panel.width);
    below += panel.height;
  }
  return svg::document(width + 2 * kMargin, below + kMargin, 12, out);
}

Panel legend_of(const std::vector<std::string>& names, double x, double y, double width) {
  Panel legend{.elements = "", .width = width, .height = names.empty() ? 0 : kLegendLine};
  double at = x;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double length = 22 + kLetter * static_cast<double>(names[i].size());
    if (at > x && at + length > x + width) {
      at = x;
      legend.height += kLegendLine;
    }
    const double down = y + legend.height - kLegendLine;
    legend.elements +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                    at, down, svg::colour(i));
    legend.elements += svg::text(at + 15, down + 9, "start", names[i]);
    at += length;
  }
  return legend;
}

std::string axis_below(const PanelAxis& axis, double left, double right, double top,
                       double bottom) {
  const double length = axis.to - axis.from;
  const double power = std::pow(10, std::floor(std::log10(length / kLeastTicks)));
  double step = power;
  for (const double factor : {5.0, 2.5, 2.0})
    if (length / (factor * power) >= kLeastTicks) {
      step = factor * power;
      break;
    }
  std::string out;
  for (double tick = std::ceil(axis.from / step - 1e-9) * step; tick <= axis.to + step * 1e-9;
       tick += step) {
    const double x = left + (right - left) * (tick - axis.from) / length;
    out += svg::line(x, top, x, bottom, R"(stroke="#ddd")");
    out += svg::text(x, bottom + 16, "middle",
                     fmt::format("{:g}", std::abs(tick) < step * 1e-9 ? 0 : tick));
  }
  out += svg::line(left, bottom, right, bottom, R"(stroke="#555")");
  return out + svg::text((left + right) / 2, bottom + 34, "middle", axis.label);
}

}  // namespace stepcast
