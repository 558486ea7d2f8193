#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/device/compression.hpp"
#include "models/device/kfac_cost.hpp"

namespace stepcast {

/// Reads a file of compression costs (`"format": "stepcast-compression-costs"`, version 1)
/// strictly. Throws InputError naming file and field.
CompressionCosts read_compression_costs(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
CompressionCosts parse_compression_costs(std::string_view text, const std::string& origin);

/// Reads a file of K-FAC kernel costs (`"format": "stepcast-kfac-costs"`, version 1) strictly.
/// Throws InputError naming file and field.
KfacCosts read_kfac_costs(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
KfacCosts parse_kfac_costs(std::string_view text, const std::string& origin);

}  // namespace stepcast
