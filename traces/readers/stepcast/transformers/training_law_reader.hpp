#pragma once

#include <filesystem>
#include <optional>

#include "models/device/training_law.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

/// The "law" of a device file: what the operators of a transformer take. Throws InputError.
TrainingLaw read_law(ObjectReader law);

/// That of a device file, if it has one. Throws InputError naming file and field.
std::optional<TrainingLaw> find_training_law(const std::filesystem::path& path);

}  // namespace stepcast
