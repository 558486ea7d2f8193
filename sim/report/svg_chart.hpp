#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// One line of a chart.
struct ChartLine {
  std::string name;
  std::size_t colour = 0;  ///< Number in a palette of eight, which eyes that confuse colours share.
  bool dashed = false;
  std::vector<double> values;  ///< One for each position; finite, >= 0.
};

/// Lines over positions that are equally far apart (1, 2, 4, 8 GPUs), from 0 upwards.
struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> positions;  ///< At least one.
  std::vector<ChartLine> lines;
};

/// The chart as an SVG document of 760 x 420 units with axes, grid and legend. Names may hold any
/// text. The same chart gives the same bytes.
std::string svg_of(const LineChart& chart);

/// A round number of at least `value` for the end of an axis: 1, 2, 2.5 or 5 times a power of ten.
double round_up(double value);

}  // namespace stepcast
