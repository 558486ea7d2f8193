#include "sim/report/picture/panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kMargin = 16;
constexpr double kLine = 16;
constexpr double kLetter = 7;  // width of a letter, on the safe side
constexpr double kLegendLine = 18;
constexpr double kSymbol = 15;  // from the middle of a symbol to its name
constexpr double kAboveAPlot = 12;
constexpr int kLeastTicks = 5;

double width_in_letters(std::string_view text) {
  return kLetter * static_cast<double>(width_of(text));
}

/// Adds lines no longer than those of a report; `y` moves below them.
void add_lines(std::string& out, std::string_view text, double& y, std::string_view attributes) {
  std::istringstream lines(wrap(text, 0));
  for (std::string line; std::getline(lines, line); y += kLine)
    out += svg::text(kMargin, y, "start", line, attributes);
}

/// Returns how far apart the texts of an axis below a plot are.
double gap_of(const Axis& axis, const Frame& frame) {
  return (frame.right - frame.left) *
         (axis.ticks.size() > 1 ? axis.ticks[1].share - axis.ticks[0].share : 1);
}

bool takes_two_lines(const Axis& axis, const Frame& frame) {
  return !axis.grid && std::ranges::any_of(axis.ticks, [&](const Axis::Tick& tick) {
    return width_in_letters(tick.text) > gap_of(axis, frame);
  });
}

std::string decade_text(int exponent) {
  constexpr std::array kUnits{"ns", "us", "ms", "s"};
  const int unit = std::clamp((exponent + 9) / 3, 0, 3);
  return fmt::format("{:g} {}", std::pow(10.0, exponent + 9 - 3 * unit),
                     kUnits[static_cast<std::size_t>(unit)]);
}

}  // namespace

std::string sheet_of(std::string_view title, const std::vector<Panel>& panels,
                     const std::vector<std::string>& notes) {
  double width = kLetter * static_cast<double>(report_width());
  for (const Panel& panel : panels)
    width = std::max(width, panel.width);
  double below = 20;
  std::string out;
  if (width_in_letters(title) <= width) {
    out = svg::text(kMargin, below, "start", title, R"(font-weight="bold")");
    below += kLine;
  } else {
    add_lines(out, title, below, R"(font-weight="bold")");
  }
  for (const Panel& panel : panels) {
    out += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", kMargin, below,
                       panel.elements);
    below += panel.height;
  }
  below += kMargin;
  for (const std::string& note : notes)
    add_lines(out, note, below, "");
  return svg::document(width + 2 * kMargin, below, out);
}

LegendEntry square_of(std::string name, std::string_view colour, double opacity) {
  return {std::move(name),
          fmt::format(R"(<rect x="-5" y="-5" width="10" height="10" fill="{}"{}/>)", colour,
                      opacity < 1 ? fmt::format(R"( fill-opacity="{:.2f}")", opacity) : "")};
}

double width_of_names(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names)
    width = std::max(width, width_in_letters(name));
  return width;
}

Panel head_of(std::string_view title, const std::vector<LegendEntry>& legend, double left,
              double right) {
  Panel head{.elements = "", .width = right, .height = kAboveAPlot};
  if (!title.empty()) {
    head.elements = svg::text(0, kAboveAPlot, "start", title, R"(font-weight="bold")");
    head.height += kLegendLine;
  }
  double at = left;
  for (const LegendEntry& entry : legend) {
    const bool heads = entry.symbol.empty();
    const double length = (heads ? 2 : 3) * kSymbol + width_in_letters(entry.name);
    if (at > left && (heads || at + length > right)) {
      at = left;
      head.height += kLegendLine;
    }
    if (!heads)
      head.elements += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", at,
                                   head.height - 4, entry.symbol);
    head.elements += svg::text(heads ? at : at + kSymbol, head.height, "start", entry.name,
                               heads ? R"(font-weight="bold")" : "");
    at += length;
  }
  if (!legend.empty())
    head.height += kLegendLine;
  return head;
}

double Axis::share_of(double value) const {
  return ((logarithmic ? std::log10(value) : value) - from) / (to - from);
}

Axis linear_axis(std::string label, double from, double to) {
  Axis axis{.label = std::move(label), .from = from, .to = to};
  const double length = to - from;
  const double power = std::pow(10, std::floor(std::log10(length / kLeastTicks)));
  double step = power;
  for (const double factor : {2.0, 2.5, 5.0})
    if (length / (factor * power) >= kLeastTicks)
      step = factor * power;
  for (double tick = std::ceil(from / step - 1e-9) * step; tick <= to + step * 1e-9; tick += step)
    axis.ticks.push_back(
        {axis.share_of(tick), fmt::format("{:g}", std::abs(tick) < step * 1e-9 ? 0 : tick)});
  return axis;
}

Axis decade_axis(std::string label, double least, double most) {
  const double from = std::floor(std::log10(least));
  Axis axis{.label = std::move(label),
            .from = from,
            .to = std::max(from + 1, std::ceil(std::log10(most))),
            .logarithmic = true};
  for (double decade = from; decade <= axis.to; ++decade)
    axis.ticks.push_back(
        {(decade - from) / (axis.to - from), decade_text(static_cast<int>(decade))});
  return axis;
}

Axis axis_of_names(std::string label, const std::vector<std::string>& names) {
  Axis axis{.label = std::move(label), .to = static_cast<double>(names.size()), .grid = false};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty())
      axis.ticks.push_back({axis.share_of(static_cast<double>(i) + 0.5), names[i]});
  return axis;
}

double round_up(double value) {
  if (!(value > 0))
    return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 2.5, 5.0})
    if (step * power >= value)
      return step * power;
  return 10 * power;
}

std::string axis_below(const Axis& axis, const Frame& frame) {
  constexpr double kBesideFrame = 80;  // half of it before the plot and half behind it
  const bool two_lines = takes_two_lines(axis, frame);
  const double gap = gap_of(axis, frame);
  std::string out;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const double x = frame.x(axis.ticks[i].share);
    std::string text = axis.ticks[i].text;
    if (axis.grid)
      out += svg::line(x, frame.top, x, frame.bottom, R"(stroke="#ddd")");
    if (two_lines)
      text = shortened(text, static_cast<std::size_t>(
                                 std::max(1.0, std::min(2 * gap, gap + kBesideFrame) / kLetter)));
    out += svg::text(x, frame.bottom + 16 + (two_lines && i % 2 == 1 ? kLine : 0), "middle", text);
  }
  out += svg::line(frame.left, frame.bottom, frame.right, frame.bottom, R"(stroke="#555")");
  return out +
         svg::text(frame.x(0.5), frame.bottom + label_below(axis, frame), "middle", axis.label);
}

double label_below(const Axis& axis, const Frame& frame) {
  return takes_two_lines(axis, frame) ? 34 + kLine : 34;
}

std::string axis_beside(const Axis& axis, const Frame& frame) {
  std::string out;
  for (const Axis::Tick& tick : axis.ticks) {
    const double y = frame.y(tick.share);
    if (axis.grid)
      out += svg::line(frame.left, y, frame.right, y, R"(stroke="#ddd")");
    out += svg::text(frame.left - 8, y + 4, "end", tick.text);
  }
  const double middle = frame.y(0.5);
  return out + svg::text(12, middle, "middle", axis.label,
                         fmt::format("transform=\"rotate(-90 12 {:.1f})\"", middle));
}

}  // namespace stepcast
