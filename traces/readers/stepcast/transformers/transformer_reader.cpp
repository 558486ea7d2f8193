#include "traces/readers/stepcast/transformers/transformer_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/named_files.hpp"
#include "traces/readers/stepcast/format_header.hpp"

namespace stepcast {
namespace {

constexpr const char* kFormat = "stepcast-transformer";

// As in the in-line form: yes and no, numbers and words.
std::string value_text(const nlohmann::json& value, const ObjectReader& reader,
                       const std::string& key) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean())
    return value.get<bool>() ? "yes" : "no";
  if (value.is_number_unsigned())
    return std::to_string(value.get<std::uint64_t>());
  reader.fail(key, "expected a whole number, a word, true or false");
}

}  // namespace

std::optional<TransformerRequest> find_transformer_file(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  if (text.find(kFormat) == std::string::npos)
    return std::nullopt;
  const nlohmann::json json = parse_json(text, path.string());
  if (!json.is_object() || json.value("format", nlohmann::json()) != kFormat)
    return std::nullopt;
  ObjectReader root(json, path.string());
  read_format_header(root, kFormat);
  KeyValues values;
  for (const auto& [key, value] : json.items())
    if (key != "format" && key != "version")
      values.emplace_back(key, value_text(value, root, key));
  try {
    TransformerRequest request = transformer_of(values);
    request.device = named_in(path, request.device);
    return request;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace stepcast
