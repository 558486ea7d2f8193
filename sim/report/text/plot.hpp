#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// A point of a plot, placed on both axes by its share from 0 (left, bottom) to 1 (right, top).
struct PlotPoint {
  double across = 0;
  double up = 0;
  char mark = '*';  ///< Later points are drawn over earlier ones.
};

/// What stands at the ends of the axes.
struct PlotLabels {
  std::string left;
  std::string right;
  std::string bottom;
  std::string top;
  std::string across;  ///< Name of the axis from left to right.
};

/// Points in a frame for the terminal, at most report_width() columns wide.
std::string render_plot(const std::vector<PlotPoint>& points, const PlotLabels& labels);

}  // namespace stepcast
