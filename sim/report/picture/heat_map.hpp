#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// A line across some rows of a heat map, at a place of the x axis for each of them.
struct HeatMapLine {
  std::string name;
  std::vector<double> at;  ///< By row: 0 is the first column's centre, 1 the second's; NaN: none.
  bool dashed = false;
  bool second_colour = false;
};

/// Rows and columns of coloured cells. Row 0 is drawn at the bottom.
struct HeatMap {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<std::size_t>> category;  ///< By row and column: whose colour.
  std::vector<std::vector<double>> strength;       ///< Of the colour, from 0 (pale) to 1.
  std::vector<std::vector<std::string>> text;      ///< Written into the cell.
  std::vector<HeatMapLine> lines;
};

/// Maps below each other with one legend, as an SVG document that needs nothing else. `categories`
/// are named in the legend in their order; more than eight repeat colours. `notes` stand below.
std::string to_svg(const std::string& title, const std::vector<HeatMap>& maps,
                   const std::vector<std::string>& categories,
                   const std::vector<std::string>& notes);

}  // namespace stepcast
