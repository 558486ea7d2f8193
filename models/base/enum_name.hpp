#pragma once

#include <cstddef>
#include <initializer_list>

namespace stepcast {

/// The name of an enumerator among those of all, in their order.
template <class Enum>
constexpr const char* name_among(std::initializer_list<const char*> names, Enum value) {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names.begin()[place] : "";
}

}  // namespace stepcast
