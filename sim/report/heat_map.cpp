#include "sim/report/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "sim/report/svg.hpp"
#include "sim/report/table.hpp"

namespace stepcast {
namespace {

struct Rgb {
  int red = 0;
  int green = 0;
  int blue = 0;
};

// Grey for the first, which the others are compared with, then Okabe and Ito's colours, which
// people with colour-blindness can tell apart.
constexpr std::array<Rgb, 8> kColours{Rgb{130, 130, 130}, Rgb{230, 159, 0},  Rgb{0, 158, 115},
                                      Rgb{204, 121, 167}, Rgb{86, 180, 233}, Rgb{213, 94, 0},
                                      Rgb{0, 114, 178},   Rgb{240, 228, 66}};

constexpr double kCellWidth = 74;
constexpr double kCellHeight = 34;
constexpr double kLeft = 120;
constexpr double kTitleHeight = 54;
constexpr double kMapTop = 34;     // of a map's own title
constexpr double kMapBottom = 62;  // of its axis
constexpr double kLineHeight = 17;

/// Mixed with white: a colour that wins narrowly is pale.
Rgb mixed(Rgb colour, double strength) {
  const double part = 0.25 + 0.6 * std::clamp(strength, 0.0, 1.0);
  const auto mix = [&](int value) { return static_cast<int>(255 - (255 - value) * part); };
  return {mix(colour.red), mix(colour.green), mix(colour.blue)};
}

std::string fill_of(Rgb colour) {
  return fmt::format("rgb({},{},{})", colour.red, colour.green, colour.blue);
}

bool is_dark(Rgb colour) {
  return 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue < 130;
}

double height_of(const HeatMap& map) {
  return kMapTop + kCellHeight * static_cast<double>(map.rows.size()) + kMapBottom;
}

double x_of(double column) {
  return kLeft + kCellWidth * (column + 0.5);
}

std::string stroke_of(const HeatMapLine& line) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"{}",
                     line.second_colour ? "rgb(176,0,32)" : "black",
                     line.dashed ? " stroke-dasharray=\"7,5\"" : "");
}

/// Draws one map below `top`.
class Drawing {
 public:
  Drawing(const HeatMap& map, double top) : map_(map), top_(top + kMapTop) {}

  std::string draw() const {
    std::string out = svg::text(kLeft, top_ - 12, "start", map_.title, "font-weight=\"bold\"");
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column)
        out += cell(row, column);
      out += svg::text(kLeft - 8, y_of(row) + kCellHeight / 2 + 5, "end", map_.rows[row]);
    }
    for (const HeatMapLine& line : map_.lines)
      out += line_of(line);
    return out + axes();
  }

 private:
  double y_of(std::size_t row) const {
    return top_ + kCellHeight * static_cast<double>(map_.rows.size() - 1 - row);
  }

  std::string cell(std::size_t row, std::size_t column) const {
    const Rgb colour =
        mixed(kColours[map_.category[row][column] % kColours.size()], map_.strength[row][column]);
    const double x = x_of(static_cast<double>(column)) - kCellWidth / 2;
    return fmt::format(
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
               "stroke=\"white\"/>\n",
               x, y_of(row), kCellWidth, kCellHeight, fill_of(colour)) +
           svg::text(x + kCellWidth / 2, y_of(row) + kCellHeight / 2 + 5, "middle",
                     map_.text[row][column], is_dark(colour) ? "fill=\"white\"" : "");
  }

  // Through the rows, a step at each border of two.
  std::string line_of(const HeatMapLine& line) const {
    std::string path;
    for (std::size_t row = 0; row < line.at.size(); ++row) {
      if (std::isnan(line.at[row]))
        continue;
      const bool goes_on = row > 0 && !std::isnan(line.at[row - 1]);
      path +=
          fmt::format("{}{:.1f},{:.1f} L{:.1f},{:.1f} ", goes_on ? 'L' : 'M', x_of(line.at[row]),
                      y_of(row) + kCellHeight, x_of(line.at[row]), y_of(row));
    }
    return fmt::format("<path d=\"{}\" {}/>\n", path, stroke_of(line));
  }

  std::string axes() const {
    const double bottom = top_ + kCellHeight * static_cast<double>(map_.rows.size());
    const auto columns = static_cast<double>(map_.columns.size());
    std::string out;
    for (std::size_t column = 0; column < map_.columns.size(); ++column)
      out +=
          svg::text(x_of(static_cast<double>(column)), bottom + 18, "middle", map_.columns[column]);
    out += svg::text(kLeft + kCellWidth * columns / 2, bottom + 40, "middle", map_.x_label);
    const double middle = (top_ + bottom) / 2;
    return out + svg::text(22, middle, "middle", map_.y_label,
                           fmt::format("transform=\"rotate(-90 22 {:.1f})\"", middle));
  }

  const HeatMap& map_;
  double top_;
};

/// Maps, their legend and notes, one below the other.
class Page {
 public:
  explicit Page(const std::string& title)
      : elements_(svg::text(20, 30, "start", title, "font-size=\"18\" font-weight=\"bold\"")) {}

  void add(const HeatMap& map) {
    elements_ += Drawing(map, y_).draw();
    y_ += height_of(map);
    const double right = kLeft + kCellWidth * static_cast<double>(map.columns.size());
    width_ = std::max(width_, right + 20);
  }

  void add_space(double height) { y_ += height; }

  void add_category(const std::string& name, Rgb colour) {
    elements_ +=
        fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"26\" height=\"14\" fill=\"{}\"/>\n", kLeft,
                    y_ - 11, fill_of(mixed(colour, 1)));
    add_legend(name);
  }

  void add_category(const HeatMapLine& line) {
    elements_ +=
        fmt::format("<path d=\"M{:.1f},{:.1f} h26\" {}/>\n", kLeft, y_ - 4, stroke_of(line));
    add_legend(line.name);
  }

  void add_note(const std::string& note) {
    std::istringstream lines(wrap(note, 0));
    for (std::string line; std::getline(lines, line); y_ += kLineHeight)
      elements_ += svg::text(20, y_, "start", line, "font-size=\"13\"");
  }

  std::string document() const { return svg::document(width_, y_ + 10, 14, elements_); }

 private:
  void add_legend(const std::string& name) {
    elements_ += svg::text(kLeft + 36, y_ + 1, "start", name);
    y_ += kLineHeight + 4;
  }

  std::string elements_;
  double y_ = kTitleHeight;
  double width_ = 760;
};

}  // namespace

std::string to_svg(const std::string& title, const std::vector<HeatMap>& maps,
                   const std::vector<std::string>& categories,
                   const std::vector<std::string>& notes) {
  Page page(title);
  for (const HeatMap& map : maps)
    page.add(map);
  page.add_space(16);
  for (std::size_t i = 0; i < categories.size(); ++i)
    page.add_category(categories[i], kColours[i % kColours.size()]);
  if (!maps.empty())
    for (const HeatMapLine& line : maps.front().lines)
      page.add_category(line);
  page.add_space(14);
  for (const std::string& note : notes)
    page.add_note(note);
  return page.document();
}

}  // namespace stepcast
