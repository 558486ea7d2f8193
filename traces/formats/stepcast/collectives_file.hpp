#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// Reads a file of measured collectives (`"format": "stepcast-collectives"`, version 1) strictly
/// and fits the curves. Throws InputError naming file and field.
MeasuredCollectives read_collectives(const std::filesystem::path& path);
MeasuredCollectives parse_collectives(std::string_view text, const std::string& origin);

/// "nvlink" or "pcie".
std::optional<NodePath> find_node_path(std::string_view name);
inline constexpr const char* kNodePathWords = "nvlink or pcie, what joins the GPUs of a node";

/// The same file again; times with 9 significant digits.
std::string to_json_text(const MeasuredCollectives& measured);

}  // namespace stepcast
