#pragma once

#include <string>
#include <vector>

#include "sim/report/picture/panel.hpp"

namespace stepcast {

struct Bar {
  std::size_t row = 0;
  double begin = 0;
  double end = 0;
  std::size_t kind = 0;  ///< The number of its kind, which has its colour.
  double lighter = 0;    ///< 0: in the colour of its kind; 1: white.
  std::string text{};    ///< In it, where it fits.
};

/// Rows of bars over one axis, the first row at the top: where a step goes, or what ran when. Bars
/// of a row do not overlap.
struct BarChart {
  std::string title;
  std::string unit;  ///< Of the axis below.
  double to = 0;     ///< The axis begins at 0 and ends there, or further on where a bar does.
  bool cut = false;  ///< Bars end there, too.
  std::vector<std::string> rows{};   ///< Their names.
  std::vector<std::string> texts{};  ///< Behind the last bar of each row.
  std::vector<std::string> kinds{};  ///< Kinds of work.
  bool legend = true;                ///< Whether the kinds of its bars are named.
  std::string remark{};              ///< Below it.
  std::vector<Bar> bars{};

  /// Returns the number of a kind, which may be new.
  std::size_t kind_of(const std::string& name);
  /// Adds a row of one bar with a text behind it; returns where the bar ends.
  double add_row(const std::string& name, double begin, double length, const std::string& kind,
                 std::string text);
};

/// Neighbours of one kind with no visible gap between them become one, so that a picture of 10^5
/// bars has no more elements than can be seen. Long names of rows move the plot to the right.
Panel panel_of(const BarChart& chart);

}  // namespace stepcast
