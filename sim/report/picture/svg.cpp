#include "sim/report/picture/svg.hpp"

#include <fmt/format.h>

#include "sim/report/text/clean.hpp"

namespace stepcast::svg {
namespace {

std::string with_space(std::string_view attributes) {
  return attributes.empty() ? "" : fmt::format(" {}", attributes);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string text(double x, double y, const char* anchor, std::string_view content,
                 std::string_view attributes) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, with_space(attributes), escaped(content));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n", x1, y1,
                     x2, y2, with_space(attributes));
}

std::string document(double width, double height, std::string_view elements) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
      width, height, elements);
}

}  // namespace stepcast::svg
