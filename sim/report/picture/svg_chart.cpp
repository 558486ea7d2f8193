#include "sim/report/picture/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/picture/colours.hpp"
#include "sim/report/picture/svg.hpp"

namespace stepcast {
namespace {

constexpr double kLeft = 74, kRight = 714, kWidth = 740, kPlot = 320, kBelowLabel = 12;
constexpr double kAside = 5;  // from the range of one line to that of the next

// A mark around the origin, by the member's turn through the colours.
constexpr std::array kMarks = {"M-3.5,0 a3.5,3.5 0 1,0 7,0 a3.5,3.5 0 1,0 -7,0 z",
                               "M-3.2,-3.2 h6.4 v6.4 h-6.4 z", "M0,-4.4 L4.2,3.2 L-4.2,3.2 z",
                               "M0,-4.8 L4.8,0 L0,4.8 L-4.8,0 z", "M0,4.4 L4.2,-3.2 L-4.2,-3.2 z"};
// By group; every other group has hollow marks.
constexpr std::array kDashes = {"", "7 4", "2 3", "9 3 2 3"};

const char* colour_of(const ChartLine& line) {
  return line.marked ? colour(line.member) : "#8c8c8c";
}

std::string style_of(const ChartLine& line) {
  const std::string dashes = kDashes[line.group % kDashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"{}", colour_of(line),
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

std::string mark(const ChartLine& line, double x, double y, std::string_view label = "",
                 bool pale = false) {
  if (!line.marked)
    return "";
  return fmt::format(
      "<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" stroke=\"{}\" fill=\"{}\"{}{}\n", x, y,
      kMarks[line.member / kPalette.size() % kMarks.size()], colour_of(line),
      line.group % 2 == 0 ? colour_of(line) : "white", pale ? " opacity=\"0.5\"" : "",
      label.empty() ? "/>" : fmt::format("><title>{}</title></path>", svg::escaped(label)));
}

std::vector<LegendEntry> legend_of(const LineChart& chart) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (line.group < chart.groups.size() && (i == 0 || chart.lines[i - 1].group != line.group))
      legend.push_back({chart.groups[line.group]});
    if (!line.values.empty())
      legend.push_back({line.name, (line.joined ? svg::line(-12, 0, 12, 0, style_of(line)) : "") +
                                       mark(line, 0, 0)});
  }
  return legend;
}

/// The smallest and the largest of all numbers.
struct Ends {
  double least = INFINITY;
  double most = 0;

  void add(const std::vector<double>& numbers) {
    for (const double number : numbers) {
      least = std::min(least, number);
      most = std::max(most, number);
    }
  }
};

/// Draws lines into a plot.
class Drawing {
 public:
  Drawing(const LineChart& chart, const Frame& frame) : chart_(chart), frame_(frame) {
    Ends along, up;
    for (const ChartLine& line : chart.lines) {
      along.add(line.at);
      up.add(line.values);
      up.add(line.highs);
    }
    if (chart.band > 0) {
      const bool any = up.most > 0;
      x_ = decade_axis(chart.x_label, any ? std::min(along.least, up.least) : 1,
                       any ? std::max(along.most, up.most) : 1);
      y_ = x_;
      y_.label = chart.y_label;
      return;
    }
    x_ = chart.positions.empty() ? linear_axis(chart.x_label, 0, round_up(along.most))
                                 : axis_of_names(chart.x_label, chart.positions);
    y_ = linear_axis(chart.y_label, 0, round_up(up.most));
  }

  std::string elements() const {
    std::string out = axis_below(x_, frame_) + axis_beside(y_, frame_);
    if (chart_.band > 0)
      out += equality();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i)
      out += ranges(i);
    for (const ChartLine& line : chart_.lines)
      out += curve(line);
    if (chart_.lines.empty())
      out += svg::text(frame_.x(0.5), frame_.y(0.5), "middle", "no points");
    return out;
  }

  /// Returns the height of what stands below the plot.
  double below() const { return label_below(x_, frame_) + kBelowLabel; }

 private:
  double x_of(const ChartLine& line, std::size_t i) const {
    return frame_.x(x_.share_of(line.at.empty() ? static_cast<double>(i) + 0.5 : line.at[i]));
  }
  double y_of(double value) const { return frame_.y(y_.share_of(value)); }

  /// The line on which both values are equal, and the band around it.
  std::string equality() const {
    const double up = std::log10(chart_.band) / (y_.to - y_.from);
    return fmt::format(
               R"(<clipPath id="plot"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)"
               R"svg(<polygon clip-path="url(#plot)" fill="#999" fill-opacity="0.25" )svg"
               "points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
               frame_.left, frame_.top, frame_.right - frame_.left, frame_.bottom - frame_.top,
               frame_.left, frame_.y(up), frame_.right, frame_.y(1 + up), frame_.right,
               frame_.y(1 - up), frame_.left, frame_.y(-up)) +
           svg::line(frame_.left, frame_.bottom, frame_.right, frame_.top, R"(stroke="#555")");
  }

  /// Beside the marks, so that those of several lines can be told apart.
  std::string ranges(std::size_t number) const {
    const ChartLine& line = chart_.lines[number];
    const double aside =
        kAside * (static_cast<double>(number) - static_cast<double>(chart_.lines.size() - 1) / 2);
    std::string out;
    for (std::size_t i = 0; i < line.lows.size(); ++i)
      out += svg::line(
          x_of(line, i) + aside, y_of(line.lows[i]), x_of(line, i) + aside, y_of(line.highs[i]),
          fmt::format("stroke=\"{}\" stroke-width=\"3\" opacity=\"0.3\"", colour_of(line)));
    return out;
  }

  std::string curve(const ChartLine& line) const {
    std::string points, marks;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      const double x = x_of(line, i), y = y_of(line.values[i]);
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      marks += mark(line, x, y, i < line.labels.size() ? line.labels[i] : "",
                    i < line.pale.size() && line.pale[i]);
    }
    if (!line.joined)
      return marks;
    return fmt::format("<polyline points=\"{}\" {}/>\n", points, style_of(line)) + marks;
  }

  const LineChart& chart_;
  Frame frame_;
  Axis x_;
  Axis y_;
};

}  // namespace

Panel panel_of(const LineChart& chart) {
  const Panel head = head_of(chart.title, legend_of(chart), kLeft, kRight);
  const Frame frame{.left = kLeft,
                    .right = kRight,
                    .top = head.height,
                    .bottom = head.height + (chart.band > 0 ? kRight - kLeft : kPlot)};
  const Drawing drawing(chart, frame);
  return {head.elements + drawing.elements(), kWidth, frame.bottom + drawing.below()};
}

std::string svg_of(const LineChart& chart) {
  LineChart untitled = chart;
  untitled.title.clear();
  return sheet_of(chart.title, {panel_of(untitled)});
}

}  // namespace stepcast
