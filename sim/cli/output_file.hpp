#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stepcast {

/// Throws InputError if a file could not be written there: its folder is missing or read-only, or
/// it is a folder itself. To be called before long work; writing may still fail later.
void check_writable(const std::string& path);

/// check_writable() for each of several outputs of a command, as {"--csv", path}; those that were
/// not asked for are empty. Two that are one file, by whatever names, are refused: one would be
/// lost.
void check_outputs(const std::vector<std::pair<std::string, std::string>>& outputs);

/// The same for a picture, which is SVG: other names than *.svg are refused too.
void check_figure(const std::string& path);

}  // namespace stepcast
