#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/device/training_law.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

/// The "law" of a device file: what the operators of a transformer take.
struct WrittenLaw {
  TrainingLaw law;   ///< Peaks and provenance alone where it is another's.
  std::string like;  ///< The device whose law it is, but for their data sheets; empty: its own.
};
/// Throws InputError.
WrittenLaw read_law(ObjectReader law);

/// That of a device file, if it has one. Throws InputError naming file and field.
std::optional<WrittenLaw> find_written_law(const std::filesystem::path& path);

}  // namespace stepcast
