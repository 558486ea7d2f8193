#include "sim/report/picture/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/picture/colours.hpp"
#include "sim/report/picture/panel.hpp"
#include "sim/report/picture/svg.hpp"

namespace stepcast {
namespace {

// At least; the cells of a small map grow until its labels are no longer than its sides.
constexpr double kCellWidth = 74;
constexpr double kCellHeight = 34;  // of the number
constexpr double kTrack = 12;       // of the marks of one colour, below the number
constexpr double kRing = 4.5;
constexpr double kDot = 3;
constexpr double kLetter = 8;  // width of a letter, on the safe side
constexpr double kLeft = 120;
constexpr double kLeastWidth = 760;
constexpr double kBelow = 62;  // of its axis

/// Grey for the first of several, which the others are compared with.
const char* colour_of(std::size_t category, std::size_t categories) {
  return categories == 1 ? colour(1) : category == 0 ? "#828282" : colour(category - 1);
}

/// A colour that wins narrowly is pale. The text upon it can always be read.
double opacity_of(double strength) {
  return 0.2 + 0.45 * std::clamp(strength, 0.0, 1.0);
}

double left_of(const HeatMap& map) {
  constexpr double kYLabel = 40;  // with what parts it from the names of rows
  return std::max(kLeft, kYLabel + width_of_names(map.rows));
}

double cell_size(double least, const std::string& label, std::size_t cells) {
  return std::max(least, kLetter * static_cast<double>(label.size()) / static_cast<double>(cells));
}

double tracks_height(const HeatMap& map) {
  const auto second = std::ranges::count(map.marks, true, &HeatMapMark::second_colour);
  return map.marks.empty() ? 0 : second > 0 ? 2 * kTrack : kTrack;
}

std::string shape_of(const HeatMapMark& mark, double x, double y) {
  const char* colour = mark.second_colour ? "rgb(176,0,32)" : "black";
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}/>\n", x, y, mark.hollow ? kRing : kDot,
      mark.hollow ? fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"", colour)
                  : fmt::format("fill=\"{}\"", colour));
}

/// The numbers of the rows and columns of a map and where its cells lie.
class Drawing {
 public:
  Drawing(const HeatMap& map, std::size_t categories, double top)
      : map_(map),
        categories_(categories),
        width_(cell_size(std::max(kCellWidth, width_of_names(map.columns) + kLetter), map.x_label,
                         map.columns.size())),
        height_(cell_size(kCellHeight + tracks_height(map), map.y_label, map.rows.size())),
        frame_{left_of(map), left_of(map) + width_ * static_cast<double>(map.columns.size()), top,
               top + height_ * static_cast<double>(map.rows.size())} {}

  Panel panel(const std::string& head) const {
    std::string cells, texts, marks;
    for (std::size_t row = 0; row < map_.rows.size(); ++row)
      for (std::size_t column = 0; column < map_.columns.size(); ++column) {
        cells += cell(row, column);
        texts += svg::text(x_of(static_cast<double>(column)), middle_of(row), "middle",
                           map_.text[row][column]);
      }
    for (const HeatMapMark& mark : map_.marks)
      marks += marks_of(mark);
    return {head + cells + texts + marks +
                axis_below(axis_of_names(map_.x_label, map_.columns), frame_) +
                axis_beside(axis_of_names(map_.y_label, map_.rows), frame_),
            std::max(kLeastWidth, frame_.right), frame_.bottom + kBelow};
  }

 private:
  double x_of(double column) const { return frame_.left + width_ * (column + 0.5); }
  double y_of(std::size_t row) const {
    return frame_.bottom - height_ * static_cast<double>(row + 1);
  }
  /// Where the numbers of a row stand: in the middle of what the marks leave.
  double middle_of(std::size_t row) const {
    return y_of(row) + (height_ - tracks_height(map_)) / 2 + 5;
  }

  std::string cell(std::size_t row, std::size_t column) const {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "fill-opacity=\"{:.2f}\" stroke=\"white\"/>\n",
        x_of(static_cast<double>(column)) - width_ / 2, y_of(row), width_, height_,
        colour_of(map_.category[row][column], categories_), opacity_of(map_.strength[row][column]));
  }

  std::string marks_of(const HeatMapMark& mark) const {
    const double below = mark.second_colour ? kTrack / 2 : tracks_height(map_) - kTrack / 2;
    std::string out;
    for (std::size_t row = 0; row < mark.at.size(); ++row)
      if (!std::isnan(mark.at[row]))
        out += shape_of(mark, x_of(mark.at[row]), y_of(row) + height_ - below);
    return out;
  }

  const HeatMap& map_;
  std::size_t categories_;
  double width_;   ///< Of a cell.
  double height_;  ///< Of a cell.
  Frame frame_;
};

}  // namespace

std::string to_svg(const std::string& title, const std::vector<HeatMap>& maps,
                   const std::vector<std::string>& categories,
                   const std::vector<std::string>& notes) {
  std::vector<Panel> panels;
  for (const HeatMap& map : maps) {
    const Panel head = head_of(map.title, {}, kLeft, kLeastWidth);
    panels.push_back(Drawing(map, categories.size(), head.height).panel(head.elements));
  }
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < categories.size(); ++i)
    legend.push_back(square_of(categories[i], colour_of(i, categories.size()), opacity_of(1)));
  if (!maps.empty())
    for (const HeatMapMark& mark : maps.front().marks)
      legend.push_back({mark.name, shape_of(mark, 0, 0)});
  panels.push_back(head_of("", legend, 0, kLeastWidth));
  return sheet_of(title, panels, notes);
}

}  // namespace stepcast
