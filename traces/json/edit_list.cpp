#include "traces/json/edit_list.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

std::string text_of_value(const nlohmann::json& value, const std::string& where) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean())
    return value.get<bool>() ? "yes" : "no";
  if (value.is_number())
    return fmt::format("{:.17g}", value.get<double>());
  throw InputError(where + ": expected a text, a number, true or false");
}

}  // namespace

std::vector<WrittenEdit> read_edit_list(const std::filesystem::path& path) {
  constexpr std::size_t kMost = 1000;
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  ObjectReader reader(json, path.string());
  const nlohmann::json& list = reader.raw("edits");
  reader.finish();
  if (!list.is_array() || list.empty() || list.size() > kMost)
    reader.fail("edits", "expected a list of 1 to 1000 edits");
  std::vector<WrittenEdit> edits;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = fmt::format("{}: /edits/{}", path.string(), i);
    if (!list[i].is_object() || !list[i].contains("do") || !list[i]["do"].is_string())
      throw InputError(where +
                       ": expected an object with \"do\", such as "
                       "{\"do\": \"scale\", \"kind\": \"forward\", \"by\": 0.5}");
    WrittenEdit edit{.verb = list[i]["do"].get<std::string>(), .fields = {}};
    for (const auto& [key, value] : list[i].items())
      if (key != "do")
        edit.fields[key] = text_of_value(value, where + "/" + abridged(key, 60));
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace stepcast
