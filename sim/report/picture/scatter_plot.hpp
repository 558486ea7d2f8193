#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// A dot at (measured, predicted), both above 0.
struct ScatterPoint {
  double across = 0;
  double up = 0;
  std::string label;  ///< Shown when the mouse rests on the dot.
};

/// Dots of one colour.
struct ScatterSeries {
  std::string name;
  std::vector<ScatterPoint> points;
};

struct ScatterLabels {
  std::string title;
  std::string across;
  std::string up;
};

/// An SVG picture of dots over two logarithmic axes of the same range, with the line on which they
/// would lie if both were equal and the band of +-10 % around it. A series without points is left
/// out; without any point the picture says so.
std::string render_scatter_plot(const std::vector<ScatterSeries>& series,
                                const ScatterLabels& labels);

}  // namespace stepcast
