#include "sim/report/picture/bar_chart.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "sim/report/picture/colours.hpp"
#include "sim/report/picture/svg.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kLeastLeft = 230, kRight = 1120, kWidth = 1200;
constexpr double kRow = 24, kBar = 18, kBelow = 52;
constexpr double kVisible = 0.3;   // units: what is narrower cannot be seen by itself
constexpr double kOutlined = 3.0;  // bars from this width on have a line between them
constexpr double kDigit = 6, kBesideText = 3, kBesideName = 8;
constexpr double kDark = 0.3;  // colours that are no lighter take white text
constexpr std::size_t kLongestName = 45;

std::string colour_of(const BarChart& chart, std::size_t kind) {
  return colour_of_work(chart.kinds[kind], kind);
}

Axis axis_of(const BarChart& chart) {
  double to = chart.to;
  for (const Bar& bar : chart.bars)
    to = chart.cut ? to : std::max(to, bar.end);
  return linear_axis(chart.unit, 0, to > 0 ? to : 1);
}

/// Bars in units of the picture, by row, then by begin; what cannot be told apart is one.
std::vector<Bar> visible_bars(const BarChart& chart, const Axis& axis, const Frame& frame) {
  std::vector<Bar> bars;
  for (Bar bar : chart.bars) {
    bar.begin = frame.x(axis.share_of(std::max(bar.begin, axis.from)));
    bar.end = frame.x(axis.share_of(std::min(bar.end, axis.to)));
    if (bar.end > bar.begin)
      bars.push_back(bar);
  }
  std::ranges::sort(bars, [](const Bar& a, const Bar& b) {
    return std::tie(a.row, a.begin, a.end) < std::tie(b.row, b.begin, b.end);
  });
  std::vector<Bar> merged;
  for (const Bar& bar : bars) {
    Bar* before = merged.empty() ? nullptr : &merged.back();
    const bool too_narrow = bar.end - bar.begin < kOutlined;
    if (before != nullptr && before->row == bar.row && before->kind == bar.kind && too_narrow &&
        bar.begin - before->end < kVisible)
      before->end = std::max(before->end, bar.end);
    else
      merged.push_back(bar);
  }
  return merged;
}

std::string drawn(const Bar& bar, const std::string& colour, double top) {
  const double y = top + kRow * static_cast<double>(bar.row) + (kRow - kBar) / 2;
  const double width = bar.end - bar.begin;
  std::string out = fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"{}{}/>\n",
      bar.begin, y, std::max(kVisible, width), kBar, colour,
      bar.lighter > 0 ? fmt::format(R"( fill-opacity="{:.2f}")", 1 - bar.lighter) : "",
      width < kOutlined ? "" : R"( stroke="white" stroke-width=".6")");
  if (!bar.text.empty() && width > kDigit * static_cast<double>(bar.text.size()) + kBesideText)
    out += svg::text((bar.begin + bar.end) / 2, y + kBar - 5, "middle", bar.text,
                     bar.lighter < kDark ? R"(font-size="10" fill="white")" : R"(font-size="10")");
  return out;
}

/// Names the kinds that some bar has.
std::vector<LegendEntry> legend_of(const BarChart& chart, const std::vector<Bar>& bars) {
  std::vector<LegendEntry> legend;
  for (std::size_t kind = 0; chart.legend && kind < chart.kinds.size(); ++kind)
    if (std::ranges::find(bars, kind, &Bar::kind) != bars.end())
      legend.push_back(square_of(chart.kinds[kind], colour_of(chart, kind)));
  return legend;
}

std::vector<std::string> names_of_rows(const BarChart& chart) {
  std::vector<std::string> names;
  for (const std::string& row : chart.rows)
    names.push_back(shortened(row, kLongestName));
  return names;
}

std::string texts_of(const BarChart& chart, const std::vector<std::string>& names,
                     const Frame& frame, const std::vector<Bar>& bars) {
  std::vector<double> ends(chart.rows.size(), frame.left);
  for (const Bar& bar : bars)
    ends[bar.row] = std::max(ends[bar.row], bar.end);
  std::string out;
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    const double y = frame.top + kRow * static_cast<double>(row) + kRow / 2 + 4;
    out += svg::text(frame.left - kBesideName, y, "end", names[row]);
    if (row < chart.texts.size())
      out += svg::text(ends[row] + 6, y, "start", chart.texts[row]);
  }
  return out;
}

}  // namespace

std::size_t BarChart::kind_of(const std::string& name) {
  const auto found = std::ranges::find(kinds, name);
  if (found != kinds.end())
    return static_cast<std::size_t>(found - kinds.begin());
  kinds.push_back(name);
  return kinds.size() - 1;
}

double BarChart::add_row(const std::string& name, double begin, double length,
                         const std::string& kind, std::string text) {
  bars.push_back(
      {.row = rows.size(), .begin = begin, .end = begin + length, .kind = kind_of(kind)});
  rows.push_back(name);
  texts.push_back(std::move(text));
  return begin + length;
}

Panel panel_of(const BarChart& chart) {
  const std::vector<std::string> names = names_of_rows(chart);
  Frame frame{.left = std::max(kLeastLeft, width_of_names(names) + 2 * kBesideName),
              .right = kRight};
  const Axis axis = axis_of(chart);
  const std::vector<Bar> bars = visible_bars(chart, axis, frame);
  const Panel head = head_of(chart.title, legend_of(chart, bars), frame.left, kRight);
  frame.top = head.height;
  frame.bottom = head.height + kRow * static_cast<double>(chart.rows.size());
  std::string out = head.elements + axis_below(axis, frame) + texts_of(chart, names, frame, bars);
  for (const Bar& bar : bars)
    out += drawn(bar, colour_of(chart, bar.kind), frame.top);
  if (!chart.remark.empty())
    out += svg::text(frame.left, frame.bottom + kBelow - 4, "start", chart.remark);
  return {out, kWidth, frame.bottom + kBelow};
}

}  // namespace stepcast
