#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/workload/workload.hpp"

namespace stepcast {

/// Reads a workload in StepCast's own format (configs/schema/workload.schema.json). Throws
/// InputError such as `w.json: /layers/3/forward_s: expected a time in seconds of at least 0,
/// found -1`.
Workload read_workload(const std::filesystem::path& path);

/// The same from a text; `origin` begins every error message.
Workload parse_workload(std::string_view text, const std::string& origin);

}  // namespace stepcast
