#pragma once
// One list of the fields of a struct, for everything that goes through all of them: hashes, the
// bytes between processes, comparisons.
//
// A struct lists its fields beside its definition:
//
//   auto fields_of(Is<Stream> auto& stream) {
//     auto& [name, rule] = stream;
//     return std::tie(name, rule);
//   }
//
// A structured binding names every field, so a field added to the struct stops the list from
// compiling until somebody has decided about it.

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// T or const T.
template <class Self, class T>
concept Is = std::same_as<std::remove_const_t<Self>, T>;

template <class Tag>
auto fields_of(Quantity<Tag>& quantity) {
  return std::tie(quantity.value);
}

template <class Tag>
auto fields_of(const Quantity<Tag>& quantity) {
  return std::tie(quantity.value);
}

template <class First, class Second>
auto fields_of(std::pair<First, Second>& pair) {
  return std::tie(pair.first, pair.second);
}

template <class First, class Second>
auto fields_of(const std::pair<First, Second>& pair) {
  return std::tie(pair.first, pair.second);
}

template <class T>
concept HasFields = requires(T& value) {
  fields_of(value);
};

/// Calls visit(field) for every field, in order.
template <HasFields T, class Visitor>
void for_each_field(T& value, Visitor&& visit) {
  std::apply([&](auto&&... field) { (visit(field), ...); }, fields_of(value));
}

template <class T>
inline constexpr bool kIsVariant = false;
template <class... Choices>
inline constexpr bool kIsVariant<std::variant<Choices...>> = true;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
concept Text = std::same_as<T, std::string>;

/// Calls visit(leaf) for every number, enumerator and text within `value`, in order; before the
/// elements of a list with their count, before the value of a variant with its index.
template <class T, class Visitor>
void for_each_leaf(const T& value, Visitor&& visit) {
  const auto deeper = [&](const auto& inner) { for_each_leaf(inner, visit); };
  if constexpr (HasFields<const T>) {
    for_each_field(value, deeper);
  } else if constexpr (kIsVariant<T>) {
    visit(value.index());
    std::visit(deeper, value);
  } else if constexpr (kIsOptional<T>) {
    visit(value.has_value());
    if (value)
      deeper(*value);
  } else if constexpr (std::ranges::sized_range<T> && !Text<T>) {
    visit(std::ranges::size(value));
    for (const auto& element : value)
      deeper(element);
  } else {
    static_assert(Text<T> || std::is_arithmetic_v<T> || std::is_enum_v<T>,
                  "a struct needs fields_of()");
    visit(value);
  }
}

/// Every leaf as this program holds it in memory. Equal bytes: equal values, field by field.
template <class T>
std::string bytes_of(const T& value) {
  std::string bytes;
  const auto append = [&bytes](const auto& plain) {
    bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
  };
  for_each_leaf(value, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (Text<Leaf>) {
      append(leaf.size());
      bytes += leaf;
    } else {
      append(leaf);
    }
  });
  return bytes;
}

/// Whether all fields are equal. Numbers are the same if their bits are.
template <class T>
bool same(const T& left, const T& right) {
  return bytes_of(left) == bytes_of(right);
}

}  // namespace stepcast
