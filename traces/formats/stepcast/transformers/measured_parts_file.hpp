#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "models/workload/transformer/measured_parts.hpp"

namespace stepcast {

/// A file of the format "stepcast-blocks": times of a transformer's parts as measured on a device,
/// a row for each way that they were run. Throws InputError naming file, field and what would be
/// right.
MeasuredParts read_measured_parts(const std::filesystem::path& path);
MeasuredParts parse_measured_parts(std::string_view text, const std::string& origin);

/// The same file again.
std::string to_json_text(const MeasuredParts& measured);

/// "hidden: expected 4096, found 2048": what a model has that was not measured; none where the
/// parts are those of the model.
std::optional<std::string> difference_of_shape(const MeasuredParts& measured,
                                               const Transformer& shape);

}  // namespace stepcast
