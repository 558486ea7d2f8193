#include "sim/report/picture/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

// The plot lies within the document; the legend is on its right, the title above both.
constexpr double kWidth = 760, kHeight = 420;
constexpr double kLeft = 64, kRight = 560, kTop = 48, kBottom = 368, kLowest = 768;
constexpr double kTitleLine = 16, kLegendLine = 20, kMargin = 16;
constexpr double kLegend = kRight + 16, kLegendName = kRight + 60;
constexpr double kAside = 5;   // from the range of one line to that of the next
constexpr double kLetter = 7;  // width of a letter, on the safe side
constexpr int kGridLines = 5;

// A mark around the origin, by the member's turn through the colours.
constexpr std::array kMarks = {"M-3.5,0 a3.5,3.5 0 1,0 7,0 a3.5,3.5 0 1,0 -7,0 z",
                               "M-3.2,-3.2 h6.4 v6.4 h-6.4 z", "M0,-4.4 L4.2,3.2 L-4.2,3.2 z",
                               "M0,-4.8 L4.8,0 L0,4.8 L-4.8,0 z", "M0,4.4 L4.2,-3.2 L-4.2,-3.2 z"};
// By group; every other group has hollow marks.
constexpr std::array kDashes = {"", "7 4", "2 3", "9 3 2 3"};

const char* colour_of(const ChartLine& line) {
  return svg::colour(line.member);
}

std::string style_of(const ChartLine& line) {
  const std::string dashes = kDashes[line.group % kDashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"{}", colour_of(line),
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

std::string mark(const ChartLine& line, double x, double y) {
  return fmt::format(
      "<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" stroke=\"{}\" fill=\"{}\"/>\n", x, y,
      kMarks[line.member / svg::kPalette.size() % kMarks.size()], colour_of(line),
      line.group % 2 == 0 ? colour_of(line) : "white");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream wrapped(wrap(text, 0));
  std::vector<std::string> lines;
  for (std::string line; std::getline(wrapped, line);)
    lines.push_back(line);
  return lines;
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    double most = 0;
    for (const ChartLine& line : chart.lines)
      for (const double value : line.values)
        most = std::max(most, value);
    for (const ChartLine& line : chart.lines)
      for (const double high : line.highs)
        most = std::max(most, high);
    top_ = round_up(most);
    // Many lines need room; beyond, the legend alone grows.
    bottom_ = std::clamp(legend_of().bottom, kBottom, kLowest);
  }

  std::string document() const {
    const std::vector<std::string> title = lines_of(chart_.title);
    std::string out;
    for (std::size_t i = 0; i < title.size(); ++i)
      out += svg::text(kMargin, 20 + kTitleLine * static_cast<double>(i), "start", title[i]);
    const double down = title.empty() ? 0 : kTitleLine * static_cast<double>(title.size() - 1);
    const Legend legend = legend_of();
    out += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}", down, axes());
    for (std::size_t i = 0; i < chart_.lines.size(); ++i)
      out += ranges(i);
    for (const ChartLine& line : chart_.lines)
      out += curve(line);
    return svg::document(std::max(kWidth, legend.right + kMargin),
                         down + std::max(bottom_ + kHeight - kBottom, legend.bottom + kMargin), 12,
                         out + legend.elements + "</g>\n");
  }

 private:
  struct Legend {
    std::string elements;
    double right = 0;
    double bottom = kTop + 8;
  };

  double x_of(std::size_t position) const {
    const auto gaps = static_cast<double>(chart_.positions.size());
    return kLeft + (kRight - kLeft) * (static_cast<double>(position) + 0.5) / gaps;
  }

  double y_of(double value) const { return bottom_ - (bottom_ - kTop) * value / top_; }

  std::string axes() const {
    std::string out;
    for (int i = 0; i <= kGridLines; ++i) {
      const double value = top_ * i / kGridLines;
      out += svg::line(kLeft, y_of(value), kRight, y_of(value), "stroke=\"#ddd\"");
      out += svg::text(kLeft - 6, y_of(value) + 4, "end", fmt::format("{:g}", value));
    }
    for (std::size_t i = 0; i < chart_.positions.size(); ++i)
      out += svg::text(x_of(i), bottom_ + 18, "middle", chart_.positions[i]);
    out += svg::text((kLeft + kRight) / 2, bottom_ + 38, "middle", chart_.x_label);
    return out + svg::text(kLeft, kTop - 10, "middle", chart_.y_label);
  }

  /// Beside the marks, so that those of several lines can be told apart.
  std::string ranges(std::size_t number) const {
    const ChartLine& line = chart_.lines[number];
    const double aside =
        kAside * (static_cast<double>(number) - static_cast<double>(chart_.lines.size() - 1) / 2);
    std::string out;
    for (std::size_t i = 0; i < line.lows.size(); ++i)
      out += svg::line(
          x_of(i) + aside, y_of(line.lows[i]), x_of(i) + aside, y_of(line.highs[i]),
          fmt::format("stroke=\"{}\" stroke-width=\"3\" opacity=\"0.3\"", colour_of(line)));
    return out;
  }

  std::string curve(const ChartLine& line) const {
    std::string points, dots;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", x_of(i), y_of(line.values[i]));
      dots += mark(line, x_of(i), y_of(line.values[i]));
    }
    return fmt::format("<polyline points=\"{}\" {}/>\n", points, style_of(line)) + dots;
  }

  static void add(Legend& legend, double x, const std::string& name, const char* attributes) {
    legend.elements += svg::text(x, legend.bottom + 4, "start", name, attributes);
    legend.right = std::max(legend.right, x + kLetter * static_cast<double>(name.size()));
    legend.bottom += kLegendLine;
  }

  Legend legend_of() const {
    Legend legend;
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      const ChartLine& line = chart_.lines[i];
      if (line.group < chart_.groups.size() && (i == 0 || chart_.lines[i - 1].group != line.group))
        add(legend, kLegend, chart_.groups[line.group], "font-weight=\"bold\"");
      legend.elements +=
          svg::line(kLegend, legend.bottom, kLegend + 36, legend.bottom, style_of(line)) +
          mark(line, kLegend + 18, legend.bottom);
      add(legend, kLegendName, line.name, "");
    }
    return legend;
  }

  const LineChart& chart_;
  double top_ = 1;
  double bottom_ = kBottom;
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
