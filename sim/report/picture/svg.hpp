#pragma once
// What every picture is made of. Coordinates are in the units of the document, from its upper left
// corner. `attributes` are written into the element as they are: `fill="white"`.

#include <string>
#include <string_view>

namespace stepcast::svg {

/// Any text, as the content or the attribute of an element.
std::string escaped(std::string_view text);

/// Text of any content at a point that is its "start", "middle" or "end".
std::string text(double x, double y, const char* anchor, std::string_view content,
                 std::string_view attributes = "");

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes);

/// Elements on a white sheet, as a document that needs nothing else.
std::string document(double width, double height, std::string_view elements);

}  // namespace stepcast::svg
