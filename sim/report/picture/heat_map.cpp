#include "sim/report/picture/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"
#include "sim/report/text/table.hpp"

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

// At least; the cells of a small map grow until its labels are no longer than its sides.
constexpr double kCellWidth = 74;
constexpr double kCellHeight = 34;
constexpr double kLetter = 8;  // width of a letter, on the safe side
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

double cell_size(double least, const std::string& label, std::size_t cells) {
  return std::max(least, kLetter * static_cast<double>(label.size()) / static_cast<double>(cells));
}

double cell_width(const HeatMap& map) {
  return cell_size(kCellWidth, map.x_label, map.columns.size());
}

double cell_height(const HeatMap& map) {
  return cell_size(kCellHeight, map.y_label, map.rows.size());
}

double width_of(const HeatMap& map) {
  return kLeft + cell_width(map) * static_cast<double>(map.columns.size());
}

double height_of(const HeatMap& map) {
  return kMapTop + cell_height(map) * static_cast<double>(map.rows.size()) + kMapBottom;
}

std::string stroke_of(const HeatMapLine& line) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"{}",
                     line.second_colour ? "rgb(176,0,32)" : "black",
                     line.dashed ? " stroke-dasharray=\"7,5\"" : "");
}

/// Draws one map below `top`.
class Drawing {
 public:
  Drawing(const HeatMap& map, double top)
      : map_(map), top_(top + kMapTop), width_(cell_width(map)), height_(cell_height(map)) {}

  std::string draw() const {
    std::string out = svg::text(kLeft, top_ - 12, "start", map_.title, "font-weight=\"bold\"");
    for (std::size_t row = 0; row < map_.rows.size(); ++row)
      out += svg::text(kLeft - 8, y_of(row) + height_ / 2 + 5, "end", map_.rows[row]);
    out += of_cells(&Drawing::cell);
    for (const HeatMapLine& line : map_.lines)
      out += line_of(line);
    return out + of_cells(&Drawing::cell_text) + axes();
  }

 private:
  double y_of(std::size_t row) const {
    return top_ + height_ * static_cast<double>(map_.rows.size() - 1 - row);
  }

  double x_of(double column) const { return kLeft + width_ * (column + 0.5); }

  std::string of_cells(std::string (Drawing::*element)(std::size_t, std::size_t) const) const {
    std::string out;
    for (std::size_t row = 0; row < map_.rows.size(); ++row)
      for (std::size_t column = 0; column < map_.columns.size(); ++column)
        out += (this->*element)(row, column);
    return out;
  }

  Rgb colour_of(std::size_t row, std::size_t column) const {
    return mixed(kColours[map_.category[row][column] % kColours.size()],
                 map_.strength[row][column]);
  }

  std::string cell(std::size_t row, std::size_t column) const {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "stroke=\"white\"/>\n",
        x_of(static_cast<double>(column)) - width_ / 2, y_of(row), width_, height_,
        fill_of(colour_of(row, column)));
  }

  // Over the lines, which its edge in the colour of the cell interrupts.
  std::string cell_text(std::size_t row, std::size_t column) const {
    const Rgb colour = colour_of(row, column);
    return svg::text(
        x_of(static_cast<double>(column)), y_of(row) + height_ / 2 + 5, "middle",
        map_.text[row][column],
        fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"5\" paint-order=\"stroke\"",
                    is_dark(colour) ? "white" : "black", fill_of(colour)));
  }

  // Through the rows, a step at each border of two.
  std::string line_of(const HeatMapLine& line) const {
    std::string path;
    for (std::size_t row = 0; row < line.at.size(); ++row) {
      if (std::isnan(line.at[row]))
        continue;
      const bool goes_on = row > 0 && !std::isnan(line.at[row - 1]);
      path += fmt::format("{}{:.1f},{:.1f} L{:.1f},{:.1f} ", goes_on ? 'L' : 'M',
                          x_of(line.at[row]), y_of(row) + height_, x_of(line.at[row]), y_of(row));
    }
    return fmt::format("<path d=\"{}\" {}/>\n", path, stroke_of(line));
  }

  std::string axes() const {
    const double bottom = top_ + height_ * static_cast<double>(map_.rows.size());
    const auto columns = static_cast<double>(map_.columns.size());
    std::string out;
    for (std::size_t column = 0; column < map_.columns.size(); ++column)
      out +=
          svg::text(x_of(static_cast<double>(column)), bottom + 18, "middle", map_.columns[column]);
    out += svg::text(kLeft + width_ * columns / 2, bottom + 40, "middle", map_.x_label);
    const double middle = (top_ + bottom) / 2;
    return out + svg::text(22, middle, "middle", map_.y_label,
                           fmt::format("transform=\"rotate(-90 22 {:.1f})\"", middle));
  }

  const HeatMap& map_;
  double top_;
  double width_;   ///< Of a cell.
  double height_;  ///< Of a cell.
};

/// Maps, their legend and notes, one below the other.
class Page {
 public:
  explicit Page(const std::string& title)
      : elements_(svg::text(20, 30, "start", title, "font-size=\"18\" font-weight=\"bold\"")) {}

  void add(const HeatMap& map) {
    elements_ += Drawing(map, y_).draw();
    y_ += height_of(map);
    width_ = std::max(width_, width_of(map) + 20);
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
