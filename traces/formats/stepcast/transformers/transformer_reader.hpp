#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/workload/transformer/transformer_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

/// A file of the format "stepcast-transformer", which holds the keys of the in-line form; none for
/// a file of another format. Throws InputError naming file and key.
std::optional<TransformerRequest> find_transformer_file(const std::filesystem::path& path);

/// The members of a JSON object as in the in-line form: yes and no, numbers and words. Throws
/// InputError for a value of another type. `json` is what `reader` reads.
KeyValues read_key_values(const nlohmann::json& json, const ObjectReader& reader);

/// The other way round: "4096" is a number, "yes" true.
nlohmann::ordered_json value_json(const std::string& text);

}  // namespace stepcast
