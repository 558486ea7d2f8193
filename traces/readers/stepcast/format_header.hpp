#pragma once

#include <string_view>

#include "traces/json/strict_json.hpp"

namespace stepcast {

/// Reads the head of every StepCast file: `"format": <format>, "version": 1`. Throws InputError for
/// another format or version.
void read_format_header(ObjectReader& root, std::string_view format);

}  // namespace stepcast
