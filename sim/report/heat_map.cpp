#include "sim/report/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/base/text.hpp"

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
constexpr std::size_t kNoteWidth = 105;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "middle",
                    const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

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
    std::string svg = text_at(kLeft, top_ - 12, map_.title, "start", "font-weight=\"bold\"");
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column)
        svg += cell(row, column);
      svg += text_at(kLeft - 8, y_of(row) + kCellHeight / 2 + 5, map_.rows[row], "end");
    }
    for (const HeatMapLine& line : map_.lines)
      svg += line_of(line);
    return svg + axes();
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
           text_at(x + kCellWidth / 2, y_of(row) + kCellHeight / 2 + 5, map_.text[row][column],
                   "middle", is_dark(colour) ? "fill=\"white\"" : "");
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
    std::string svg;
    for (std::size_t column = 0; column < map_.columns.size(); ++column)
      svg += text_at(x_of(static_cast<double>(column)), bottom + 18, map_.columns[column]);
    svg += text_at(kLeft + kCellWidth * columns / 2, bottom + 40, map_.x_label);
    const double middle = (top_ + bottom) / 2;
    return svg + text_at(22, middle, map_.y_label, "middle",
                         fmt::format("transform=\"rotate(-90 22 {:.1f})\"", middle).c_str());
  }

  const HeatMap& map_;
  double top_;
};

/// Coloured squares, then the lines of the first map.
std::string legend(const std::vector<HeatMap>& maps, const std::vector<std::string>& categories,
                   double top, double& bottom) {
  std::string svg;
  double y = top;
  for (std::size_t i = 0; i < categories.size(); ++i, y += kLineHeight + 4)
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"26\" height=\"14\" fill=\"{}\"/>\n",
                       kLeft, y - 11, fill_of(mixed(kColours[i % kColours.size()], 1))) +
           text_at(kLeft + 36, y + 1, categories[i], "start");
  if (!maps.empty())
    for (const HeatMapLine& line : maps.front().lines) {
      svg += fmt::format("<path d=\"M{:.1f},{:.1f} h26\" {}/>\n", kLeft, y - 4, stroke_of(line)) +
             text_at(kLeft + 36, y + 1, line.name, "start");
      y += kLineHeight + 4;
    }
  bottom = y;
  return svg;
}

std::vector<std::string> lines_of(const std::string& note) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < note.size()) {
    std::size_t end = note.size();
    if (end - begin > kNoteWidth) {
      end = note.rfind(' ', begin + kNoteWidth);
      if (end == std::string::npos || end <= begin)
        end = begin + kNoteWidth;
    }
    lines.push_back(note.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string notes_below(const std::vector<std::string>& notes, double top, double& bottom) {
  std::string svg;
  double y = top;
  for (const std::string& note : notes)
    for (const std::string& line : lines_of(note)) {
      svg += text_at(20, y, line, "start", "font-size=\"13\"");
      y += kLineHeight;
    }
  bottom = y;
  return svg;
}

}  // namespace

std::string to_svg(const std::string& title, const std::vector<HeatMap>& maps,
                   const std::vector<std::string>& categories,
                   const std::vector<std::string>& notes) {
  std::string body = text_at(20, 30, title, "start", "font-size=\"18\" font-weight=\"bold\"");
  double y = kTitleHeight;
  std::size_t columns = 1;
  for (const HeatMap& map : maps) {
    body += Drawing(map, y).draw();
    y += height_of(map);
    columns = std::max(columns, map.columns.size());
  }
  body += legend(maps, categories, y + 16, y);
  body += notes_below(notes, y + 14, y);
  const double width = std::max(760.0, kLeft + kCellWidth * static_cast<double>(columns) + 20);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"14\">\n<rect "
      "width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
      width, y + 10, body);
}

}  // namespace stepcast
