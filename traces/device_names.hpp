#pragma once

#include <optional>
#include <string>

namespace stepcast {

/// Name of the shipped device that a profiler calls so, by the "profiler_names" of its file:
/// "rtx2080ti" of "NVIDIA GeForce RTX 2080 Ti". None if no device says so. Throws InputError for a
/// faulty device file.
std::optional<std::string> find_device_called(const std::string& profiler_name);

}  // namespace stepcast
