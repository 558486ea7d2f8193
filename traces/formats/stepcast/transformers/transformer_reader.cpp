#include "traces/formats/stepcast/transformers/transformer_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/named_files.hpp"

namespace stepcast {

namespace {

constexpr const char* kFormat = "stepcast-transformer";

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
  KeyValues values = read_key_values(json, root);
  std::erase_if(values, [](const auto& value) {
    return value.first == "format" || value.first == "version";
  });
  try {
    TransformerRequest request = transformer_of(values);
    request.device = named_in(path, request.device);
    if (!request.blocks.empty())
      request.blocks = named_in(path, request.blocks);
    return request;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

namespace {

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

KeyValues read_key_values(const nlohmann::json& json, const ObjectReader& reader) {
  KeyValues values;
  for (const auto& [key, value] : json.items())
    values.emplace_back(key, value_text(value, reader, key));
  return values;
}

nlohmann::ordered_json value_json(const std::string& text) {
  if (text == "yes" || text == "no")
    return text == "yes";
  const bool is_number =
      text.find_first_not_of("0123456789") == std::string::npos && text.size() < 10;
  return is_number && !text.empty() ? nlohmann::ordered_json(std::stoul(text))
                                    : nlohmann::ordered_json(text);
}

}  // namespace stepcast
