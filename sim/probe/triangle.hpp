#pragma once
// The upper triangle of a square matrix, packed column by column.

#include <cmath>
#include <cstdint>

#include "sim/probe/random_values.hpp"

namespace stepcast {

/// Where element (row, column), row <= column, lies.
STEPCAST_HOST_DEVICE constexpr std::uint64_t packed_place(std::uint64_t row, std::uint64_t column) {
  return column * (column + 1) / 2 + row;
}

struct TrianglePlace {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
};

/// The element that lies at a place: the inverse of packed_place().
inline TrianglePlace triangle_place(std::uint64_t place) {
  auto column =
      static_cast<std::uint64_t>((std::sqrt(8.0 * static_cast<double>(place) + 1) - 1) / 2);
  while (packed_place(0, column) > place)  // the root was rounded
    --column;
  while (packed_place(0, column + 1) <= place)
    ++column;
  return {place - packed_place(0, column), column};
}

}  // namespace stepcast
