#pragma once
// Changes the leaves of a value one by one, so that a test can tell whether each of them counts.

#include "models/base/fields.hpp"

namespace stepcast {

/// Calls visit(leaf) for every leaf that can be changed in place: not for counts and choices.
template <class T, class Visitor>
void for_each_own_leaf(T& value, Visitor&& visit) {
  const auto deeper = [&](auto& inner) { for_each_own_leaf(inner, visit); };
  if constexpr (HasFields<T>)
    for_each_field(value, deeper);
  else if constexpr (kIsVariant<T>)
    std::visit(deeper, value);
  else if constexpr (std::ranges::sized_range<T> && !Text<T>)
    for (auto& element : value)
      deeper(element);
  else
    visit(value);
}

inline void change(std::string& text) {
  text += "'";
}

inline void change(bool& flag) {
  flag = !flag;
}

template <class Leaf>
void change(Leaf& leaf) {
  if constexpr (std::is_enum_v<Leaf>)
    leaf = static_cast<Leaf>(static_cast<int>(leaf) + 1);
  else
    leaf = static_cast<Leaf>(leaf + 1);
}

/// `value` once for each of its leaves, with that leaf changed.
template <class T>
std::vector<T> with_one_change(const T& value) {
  std::vector<T> changed;
  std::size_t leaves = 0;
  T counted = value;
  for_each_own_leaf(counted, [&](auto& /*leaf*/) { ++leaves; });
  for (std::size_t which = 0; which < leaves; ++which) {
    T copy = value;
    std::size_t at = 0;
    for_each_own_leaf(copy, [&](auto& leaf) {
      if (at++ == which)
        change(leaf);
    });
    changed.push_back(std::move(copy));
  }
  return changed;
}

}  // namespace stepcast
