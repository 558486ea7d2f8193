#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/device/device_spec.hpp"
#include "models/device/training_law.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

/// Reads a device file (`"format": "stepcast-device"`, version 1) strictly. Throws InputError
/// naming file and field.
DeviceSpec read_device(const std::filesystem::path& path);

/// The same from text; `origin` names it in errors.
DeviceSpec parse_device(std::string_view text, const std::string& origin);

/// The names by which a profiler or the driver calls the device: "NVIDIA GeForce RTX 2080 Ti". Same
/// file and errors; none if it has none.
std::vector<std::string> read_profiler_names(const std::filesystem::path& path);

/// The "law" of a device file: what the operators of a transformer take.
struct WrittenLaw {
  TrainingLaw law;   ///< Peaks and provenance alone where it is another's.
  std::string like;  ///< The device whose law it is, but for their data sheets; empty: its own.
};

/// Returns the law of a device file, if it has one. Throws InputError naming file and field.
std::optional<WrittenLaw> find_written_law(const std::filesystem::path& path);

}  // namespace stepcast
