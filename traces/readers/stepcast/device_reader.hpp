#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/device/device_spec.hpp"

namespace stepcast {

/// Reads a device file (`"format": "stepcast-device"`, version 1) strictly. Throws InputError
/// naming file and field.
DeviceSpec read_device(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
DeviceSpec parse_device(std::string_view text, const std::string& origin);

/// The names by which a profiler or the driver calls the device: "NVIDIA GeForce RTX 2080 Ti". Same
/// file and errors; none if it has none.
std::vector<std::string> read_profiler_names(const std::filesystem::path& path);

}  // namespace stepcast
