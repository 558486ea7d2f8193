#pragma once

#include <string>
#include <vector>

#include "sim/report/picture/panel.hpp"

namespace stepcast {

/// A part of a bar; its colour is that of the legend's name of this number.
struct BarPart {
  double value = 0;  ///< >= 0
  std::size_t colour = 0;
};

struct BarRow {
  std::string name;
  double begin = 0;  ///< Where its first part begins.
  std::vector<BarPart> parts{};
  std::string text{};  ///< Behind the bar.
};

/// Bars from left to right, the first row at the top.
struct BarChart {
  std::string title;
  std::string unit;  ///< Of the axis below.
  std::vector<std::string> legend{};
  std::vector<BarRow> rows{};
  double least_end = 0;  ///< The axis reaches it at least.
};

Panel panel_of(const BarChart& chart);

}  // namespace stepcast
