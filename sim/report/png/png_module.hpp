#pragma once
// What the program and the module that knows librsvg say to each other.

#include <string>

namespace stepcast {

/// Draws `svg` as PNG into `png`; returns "" or what went wrong.
using DrawPng = std::string (*)(const std::string& svg, std::string& png);
inline constexpr const char* kDrawPng = "stepcast_draw_png";
inline constexpr const char* kPngModule = "stepcast_png.so";

}  // namespace stepcast
