#include "traces/readers/stepcast/transformers/transformer_values.hpp"

#include <nlohmann/json.hpp>

namespace stepcast {
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
