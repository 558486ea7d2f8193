#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// One line of a chart. Colour and shape of its marks tell its member, dashes and filled or hollow
/// marks its group: up to 40 members of up to 4 groups all look different.
struct ChartLine {
  std::string name;
  std::size_t member = 0;  ///< Of its group: the same number looks alike in all groups.
  std::size_t group = 0;
  std::vector<double> values;  ///< One for each position; finite, >= 0.
  std::vector<double> lows{};  ///< Ends of a range around each; none: no ranges.
  std::vector<double> highs{};
};

/// Lines over positions that are equally far apart (1, 2, 4, 8 GPUs), from 0 upwards.
struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> positions;  ///< At least one.
  std::vector<std::string> groups;     ///< Headings in the legend; none where there is one group.
  std::vector<ChartLine> lines;        ///< Group by group.
};

/// The chart as an SVG document of at least 760 x 420 units with axes, grid and legend; it grows
/// with the legend and a title of several lines. Names may hold any text. The same chart gives the
/// same bytes.
std::string svg_of(const LineChart& chart);

/// A round number of at least `value` for the end of an axis: 1, 2, 2.5 or 5 times a power of ten.
double round_up(double value);

}  // namespace stepcast
