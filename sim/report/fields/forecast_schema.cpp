#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/report/fields/forecast_fields.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

// What is known of a forecast's fields without a forecast: their schema and their names.

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of writing

void add_schemas_of_items(std::string_view key, Json& schema);

template <class T>
void add_schemas(std::span<const Field<T>> fields, Json& schema) {
  for (const Field<T>& field : fields) {
    if (field.is(kNoJson))
      continue;
    std::string_view key = field.key;
    Json& holder = holder_of(schema, key, [](Json& outer, const std::string& name) -> Json& {
      return outer["properties"][name];
    });
    Json& own = holder["properties"][std::string(key)] = schema_of(field.unit, field.rules);
    if (field.unit == Unit::Rows)
      add_schemas_of_items(key, own["items"] = schema_of(Unit::Object, 0));
    if (*field.meaning != '\0')
      own["description"] = field.meaning;
    if (!field.is(kOptional))
      holder["required"].push_back(key);
  }
}

void add_schemas_of_items(std::string_view key, Json& schema) {
  if (key == "links")
    add_schemas(link_fields(), schema);
  else if (key == "stages")
    add_schemas(stage_fields(), schema);
  else
    add_schemas(path_fields(), schema);
}

template <class T>
void add_names(std::span<const Field<T>> fields, std::vector<std::string>& names) {
  for (const Field<T>& field : fields)
    for (std::string_view name :
         {field.label, field.heading, field.unit == Unit::Interval ? "" : field.key}) {
      name.remove_prefix(name.rfind('.') + 1);
      if (!name.empty() && std::ranges::find(names, name) == names.end())
        names.emplace_back(name);
    }
}

}  // namespace

std::string schema_text(const std::string& name) {
  std::string text = read_text_file(data_root() / "configs/schema" / (name + ".schema.json"));
  if (name != "run")
    return text;
  Json schema = Json::parse(text);
  const Json others = std::exchange(schema["properties"], Json::object());
  add_schemas(forecast_fields(), schema);
  schema["properties"].update(others);
  return schema.dump(2) + "\n";
}

std::vector<std::string> names_of_fields() {
  std::vector<std::string> names;
  add_names(forecast_fields(), names);
  add_names(link_fields(), names);
  add_names(stage_fields(), names);
  add_names(path_fields(), names);
  return names;
}

}  // namespace stepcast
