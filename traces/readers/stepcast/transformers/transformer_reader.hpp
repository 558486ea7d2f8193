#pragma once

#include <filesystem>
#include <optional>

#include "models/workload/transformer/transformer_text.hpp"

namespace stepcast {

/// A file of the format "stepcast-transformer", which holds the keys of the in-line form; none for
/// a file of another format. Throws InputError naming file and key.
std::optional<TransformerRequest> find_transformer_file(const std::filesystem::path& path);

}  // namespace stepcast
