#include "traces/readers/stepcast/transformers/transformer_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/named_files.hpp"
#include "traces/readers/stepcast/format_header.hpp"
#include "traces/readers/stepcast/transformers/transformer_values.hpp"

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

}  // namespace stepcast
