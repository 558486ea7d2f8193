#pragma once
// What the program and the module that knows librsvg say to each other.

#include <string>

namespace stepcast {

/// Draws `svg` as PNG into `png`; `error` is what went wrong, if anything.
using DrawPng = void (*)(const std::string& svg, std::string& png, std::string& error);
inline constexpr const char* kDrawPng = "stepcast_draw_png";
inline constexpr const char* kPngModule = "stepcast_png.so";

}  // namespace stepcast
