#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// A picture of a sheet, in units from its own upper left corner.
struct Panel {
  std::string elements;
  double width = 0;
  double height = 0;
};

/// Panels below each other under a title, as an SVG document.
std::string sheet_of(std::string_view title, const std::vector<Panel>& panels);

/// Names with their colours in a row from (x, y) on, wrapped at `width`; its height is that of all
/// rows.
Panel legend_of(const std::vector<std::string>& names, double x, double y, double width);

/// An axis of `ticks` round parts along the bottom of a plot, with its grid lines.
struct PanelAxis {
  double from = 0;
  double to = 1;
  std::string label;
};
std::string axis_below(const PanelAxis& axis, double left, double right, double top, double bottom);

}  // namespace stepcast
