#pragma once
// What every picture is made of. Coordinates are in the units of the document, from its upper left
// corner. `attributes` are written into the element as they are: `fill="white"`.

#include <array>
#include <string>
#include <string_view>

namespace stepcast::svg {

/// Okabe and Ito's colours, which people with colour-blindness can tell apart; then from the first
/// again.
inline constexpr std::array kPalette = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#000000", "#8c8c00"};
inline const char* colour(std::size_t index) {
  return kPalette[index % kPalette.size()];
}

/// Any text, as the content or the attribute of an element.
std::string escaped(std::string_view text);

/// Text of any content at a point that is its "start", "middle" or "end".
std::string text(double x, double y, const char* anchor, std::string_view content,
                 std::string_view attributes = "");

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes);

/// Elements on a white sheet, as a document that needs nothing else.
std::string document(double width, double height, int font_size, std::string_view elements);

}  // namespace stepcast::svg
