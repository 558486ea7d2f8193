#pragma once
// What every picture has: a sheet, axes with ticks, a legend.

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

/// Panels below each other under a title and above notes, as an SVG document.
std::string sheet_of(std::string_view title, const std::vector<Panel>& panels,
                     const std::vector<std::string>& notes = {});

/// A name of a legend, beside what it stands for: elements around the origin.
struct LegendEntry {
  std::string name;
  std::string symbol{};  ///< Empty: a heading, which begins a row.
};

LegendEntry square_of(std::string name, std::string_view colour, double opacity = 1);

/// Returns the room that the longest of these names takes, on the safe side.
double width_of_names(const std::vector<std::string>& names);

/// What stands above a plot: a title, if there is one, and a legend in rows from `left` to `right`.
/// The plot begins at its height.
Panel head_of(std::string_view title, const std::vector<LegendEntry>& legend, double left,
              double right);

/// Where a plot lies.
struct Frame {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;

  double x(double share) const { return left + (right - left) * share; }
  double y(double share) const { return bottom - (bottom - top) * share; }
};

/// An axis: where a value lies between its ends, as a share from 0 to 1, and what stands at it.
struct Axis {
  struct Tick {
    double share = 0;
    std::string text;
  };

  std::string label;
  double from = 0;
  double to = 1;
  bool logarithmic = false;
  bool grid = true;
  std::vector<Tick> ticks{};

  double share_of(double value) const;
};

/// An axis with ticks at round numbers.
Axis linear_axis(std::string label, double from, double to);
/// An axis of whole decades of seconds that holds both times.
Axis decade_axis(std::string label, double least, double most);
/// An axis of names in the middle of equal parts, the first of which is from 0 to 1. Parts may have
/// no name.
Axis axis_of_names(std::string label, const std::vector<std::string>& names);

/// A round number of at least `value` for the end of an axis: 1, 2, 2.5 or 5 times a power of ten.
double round_up(double value);

/// Names that would overlap take turns on two lines, where they are shortened as far as needed.
std::string axis_below(const Axis& axis, const Frame& frame);
/// Returns how far the label of that axis lies below the plot.
double label_below(const Axis& axis, const Frame& frame);
std::string axis_beside(const Axis& axis, const Frame& frame);

}  // namespace stepcast
