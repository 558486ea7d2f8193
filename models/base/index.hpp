#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "models/base/error.hpp"

namespace stepcast {

/// `index` as a 32-bit id. Throws InputError where there are too many of `what`: the largest value
/// stands for "none".
inline std::uint32_t checked_id(std::size_t index, const char* what) {
  if (index >= std::numeric_limits<std::uint32_t>::max())
    throw InputError("too many " + std::string(what) + ": ids have 32 bits");
  return static_cast<std::uint32_t>(index);
}

/// The same with 16 bits.
inline std::uint16_t checked_short_id(std::size_t index, const char* what) {
  if (index > std::numeric_limits<std::uint16_t>::max())
    throw InputError("too many " + std::string(what) + ": ids have 16 bits");
  return static_cast<std::uint16_t>(index);
}

}  // namespace stepcast
