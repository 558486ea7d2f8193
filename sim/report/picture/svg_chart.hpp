#pragma once

#include <string>
#include <vector>

#include "sim/report/picture/panel.hpp"

namespace stepcast {

/// One line of a chart, or dots of one look. Colour and shape of its marks tell its member, dashes
/// and filled or hollow marks its group: up to 40 members of up to 4 groups all look different.
struct ChartLine {
  std::string name;
  std::size_t member = 0;  ///< Of its group: the same number looks alike in all groups.
  std::size_t group = 0;
  std::vector<double> values;  ///< Finite, >= 0.
  std::vector<double> lows{};  ///< Ends of a range around each; none: no ranges.
  std::vector<double> highs{};
  std::vector<double> at{};           ///< Where each lies; none: at the chart's positions.
  std::vector<std::string> labels{};  ///< Shown when the mouse rests on the marks; may be empty.
  bool joined = true;                 ///< False: dots.
  bool marked = true;                 ///< False: a grey line without marks.
  std::vector<bool> pale{};           ///< Which marks are half transparent; none: no mark.
};

/// Values over positions that are equally far apart (1, 2, 4, 8 GPUs) or over other values, from 0
/// upwards.
struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> positions;  ///< None: where values lie are numbers.
  std::vector<std::string> groups;     ///< Headings in the legend; none where there is one group.
  std::vector<ChartLine> lines;        ///< Group by group; the legend names those with values.
  /// Both axes are the same whole decades of seconds; a line shows where both values would be
  /// equal, and a band around it where they differ by that factor.
  double band = 0;
};

Panel panel_of(const LineChart& chart);

/// The chart as an SVG document with axes, grid and legend; it grows with the legend and a title of
/// several lines. Names may hold any text. The same chart gives the same bytes.
std::string svg_of(const LineChart& chart);

}  // namespace stepcast
