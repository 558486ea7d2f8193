#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/workload/architecture.hpp"

namespace stepcast {

/// Reads an architecture file (`"format": "stepcast-architecture"`, version 1) strictly. All
/// numbers are for one sample; parameters are fp32. Throws InputError naming file and field.
Architecture read_architecture(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
Architecture parse_architecture(std::string_view text, const std::string& origin);

}  // namespace stepcast
