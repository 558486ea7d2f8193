#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace stepcast {

/// The name of an enumerator among those of all, in their order.
template <class Enum>
constexpr const char* name_among(std::initializer_list<const char*> names, Enum value) {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names.begin()[place] : "";
}

/// Returns the enumerator at whose place `name` stands among the names of all, in their order.
template <class Enum, class Project = std::identity>
std::optional<Enum> find_among(const auto& names, std::string_view name, Project name_in = {}) {
  const auto found = std::ranges::find(names, name, name_in);
  return found == std::ranges::end(names)
             ? std::nullopt
             : std::optional(static_cast<Enum>(found - std::ranges::begin(names)));
}

}  // namespace stepcast
