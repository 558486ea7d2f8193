#include "sim/report/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/svg.hpp"

namespace stepcast {
namespace {

// The plot lies within the document; the legend is on its right.
constexpr double kWidth = 760, kHeight = 420;
constexpr double kLeft = 64, kRight = 560, kTop = 48, kBottom = 368;
constexpr int kGridLines = 5;
// Okabe and Ito's palette.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                 "#e69f00", "#56b4e9", "#000000", "#8c8c00"};

std::string style_of(const ChartLine& line) {
  return fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"{}",
                     kColours[line.colour % kColours.size()],
                     line.dashed ? " stroke-dasharray=\"6 4\"" : "");
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    double most = 0;
    for (const ChartLine& line : chart.lines)
      for (const double value : line.values)
        most = std::max(most, value);
    top_ = round_up(most);
  }

  std::string document() const {
    std::string out = svg::text((kLeft + kRight) / 2, 24, "middle", chart_.title);
    out += axes();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i)
      out += curve(chart_.lines[i]) + legend(i);
    return svg::document(kWidth, kHeight, 12, out);
  }

 private:
  double x_of(std::size_t position) const {
    const auto gaps = static_cast<double>(chart_.positions.size());
    return kLeft + (kRight - kLeft) * (static_cast<double>(position) + 0.5) / gaps;
  }

  double y_of(double value) const { return kBottom - (kBottom - kTop) * value / top_; }

  std::string axes() const {
    std::string out;
    for (int i = 0; i <= kGridLines; ++i) {
      const double value = top_ * i / kGridLines;
      out += svg::line(kLeft, y_of(value), kRight, y_of(value), "stroke=\"#ddd\"");
      out += svg::text(kLeft - 6, y_of(value) + 4, "end", fmt::format("{:g}", value));
    }
    for (std::size_t i = 0; i < chart_.positions.size(); ++i)
      out += svg::text(x_of(i), kBottom + 18, "middle", chart_.positions[i]);
    out += svg::text((kLeft + kRight) / 2, kBottom + 38, "middle", chart_.x_label);
    return out + svg::text(kLeft, kTop - 10, "middle", chart_.y_label);
  }

  std::string curve(const ChartLine& line) const {
    std::string points, dots;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", x_of(i), y_of(line.values[i]));
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x_of(i),
                          y_of(line.values[i]), kColours[line.colour % kColours.size()]);
    }
    return fmt::format("<polyline points=\"{}\" {}/>\n", points, style_of(line)) + dots;
  }

  std::string legend(std::size_t i) const {
    const double y = kTop + 8 + 20 * static_cast<double>(i);
    return svg::line(kRight + 16, y, kRight + 44, y, style_of(chart_.lines[i])) +
           svg::text(kRight + 52, y + 4, "start", chart_.lines[i].name);
  }

  const LineChart& chart_;
  double top_ = 1;
};

}  // namespace

double round_up(double value) {
  if (!(value > 0))
    return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 2.5, 5.0})
    if (step * power >= value)
      return step * power;
  return 10 * power;
}

std::string svg_of(const LineChart& chart) {
  return Drawing(chart).document();
}

}  // namespace stepcast
