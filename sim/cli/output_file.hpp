#pragma once

#include <string>

namespace stepcast {

/// Throws InputError if a file could not be written there: its folder is missing or read-only, or
/// it is a folder itself. To be called before long work; writing may still fail later.
void check_writable(const std::string& path);

/// The same for a picture, which is SVG: other names than *.svg are refused too.
void check_figure(const std::string& path);

}  // namespace stepcast
