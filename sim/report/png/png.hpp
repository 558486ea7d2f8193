#pragma once

#include <string>

namespace stepcast {

/// Throws InputError, naming the file that was asked for, where this build cannot draw PNG: it was
/// made on a machine without librsvg.
void require_png(const std::string& path);

/// An SVG document as a PNG image, in twice its size so that it stays sharp on paper; less where it
/// would have more than 64 million pixels. Throws SimulationError where it cannot be drawn.
std::string png_of(const std::string& svg);

}  // namespace stepcast
