#pragma once

#include <string>
#include <vector>

#include "sim/report/picture/panel.hpp"

namespace stepcast {

struct GanttBar {
  std::size_t row = 0;
  double begin = 0;
  double end = 0;
  std::size_t kind = 0;
  double lighter = 0;  ///< 0: in the colour of its kind; 1: white.
  std::string text{};  ///< In it, where it fits.
};

/// What ran when: rows of bars that do not overlap within a row, between `from` and `to`.
struct GanttChart {
  std::string title;
  std::string unit;  ///< Of the axis below.
  double from = 0;
  double to = 1;
  std::vector<std::string> rows{};
  std::vector<std::string> kinds{};  ///< The legend.
  std::string remark{};              ///< Below it.
  std::vector<GanttBar> bars{};
};

/// Bars are cut where the chart begins and ends. Neighbours of one kind with no visible gap between
/// them become one, so that a picture of 10^5 bars has no more elements than can be seen.
Panel panel_of(const GanttChart& chart);

}  // namespace stepcast
