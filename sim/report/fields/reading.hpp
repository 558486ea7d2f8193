#pragma once
// How tables of fields read values, and how objects become JSON by them. Sources that include it
// include nlohmann/json.hpp before.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/base/note.hpp"
#include "models/schedule/option_info.hpp"
#include "sim/engine/engine.hpp"
#include "sim/report/fields/field.hpp"
#include "sim/timeline/breakdown.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {

/// Returns a value as JSON has it: without its unit, which the key names.
template <class Plain>
nlohmann::ordered_json json_value(const Plain& value) {
  return value;
}
template <class Tag>
nlohmann::ordered_json json_value(const Quantity<Tag>& quantity) {
  return quantity.value;
}
template <class Value>
nlohmann::ordered_json json_value(const std::optional<Value>& value) {
  return value ? json_value(*value) : nlohmann::ordered_json();
}
inline nlohmann::ordered_json json_value(const Fidelity& fidelity) {
  return name_of(fidelity);
}
inline nlohmann::ordered_json json_value(const EngineUse& engine) {
  return name_of(engine.simgrid ? EventEngine::SimGrid : EventEngine::Own);
}
inline nlohmann::ordered_json json_value(const Notes& notes) {
  return texts_of(notes);
}
inline nlohmann::ordered_json json_value(const Provenance& provenance) {
  return provenance_json(provenance);
}
inline nlohmann::ordered_json json_value(const std::vector<NamedTime>& times) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const NamedTime& part : times)
    json[part.name] = part.time.value;
  return json;
}
inline nlohmann::ordered_json json_value(const ScheduleOptions& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : options)
    json[name] = value;
  return json;
}

/// Follows members from an object: values, or pointers to others. What stands for a forecast is
/// read as that forecast.
template <auto... Members, class Of>
nlohmann::ordered_json of(const Of& object) {
  if constexpr (requires { object.forecast; })
    return of<Members...>(object.forecast);
  else {
    const auto follow = [](const auto& self, const auto& from, auto member, auto... rest) {
      if constexpr (sizeof...(rest) == 0)
        return json_value(std::invoke(member, from));
      else
        return self(self, std::invoke(member, from), rest...);
    };
    return follow(follow, object, Members...);
  }
}

inline nlohmann::ordered_json unless(bool left_out, nlohmann::ordered_json json) {
  return left_out ? nlohmann::ordered_json() : json;
}

/// Null instead of 0, false and an empty text.
template <auto... Members, class Of>
nlohmann::ordered_json known(const Of& object) {
  nlohmann::ordered_json json = of<Members...>(object);
  return unless(json == 0 || json == "" || json == false, json);
}

/// Returns the fields of an object as JSON; those whose value is null are left out unless they are
/// kNull.
template <class Of>
nlohmann::ordered_json json_of(std::span<const Field<Of>> fields, const Of& object) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Field<Of>& field : fields) {
    if (field.value == nullptr || field.is(kNoJson))
      continue;
    nlohmann::ordered_json value = field.value(object);
    if (value.is_null() && !field.is(kNull))
      continue;
    std::string_view key = field.key;
    nlohmann::ordered_json& holder =
        holder_of(json, key,
                  [](nlohmann::ordered_json& outer,
                     const std::string& name) -> nlohmann::ordered_json& { return outer[name]; });
    holder[std::string(key)] = std::move(value);
  }
  return json;
}

template <class Of>
nlohmann::ordered_json json_of(std::span<const Field<Of>> fields, const std::vector<Of>& objects) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Of& object : objects)
    list.push_back(json_of(fields, object));
  return list;
}

}  // namespace stepcast
