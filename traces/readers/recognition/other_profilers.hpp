#pragma once

#include <filesystem>
#include <string_view>

namespace stepcast {

/// What to do with a file of a profiler that is not read: Nsight Systems and rocprof, by the names
/// of their reports, tables and columns. `head`: the first 64 KiB or more. Empty: none of them.
std::string_view profiler_advice(const std::filesystem::path& path, std::string_view head);

}  // namespace stepcast
