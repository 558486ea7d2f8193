#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// Reads a file of measured collectives (`"format": "stepcast-collectives"`, version 1) strictly
/// and fits the curves. Throws InputError naming file and field.
MeasuredCollectives read_collectives(const std::filesystem::path& path);
MeasuredCollectives parse_collectives(std::string_view text, const std::string& origin);

/// The same file again; times with 9 significant digits.
std::string to_json_text(const MeasuredCollectives& measured);

}  // namespace stepcast
