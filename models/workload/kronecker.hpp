#pragma once

#include <cstdint>

#include "models/base/units.hpp"

namespace stepcast {

/// The Kronecker factors that K-FAC approximates a layer's Fisher block with: A of a x a from the
/// layer's input and G of g x g from the gradient of its output, each summed over `rows`.
struct KroneckerFactors {
  std::uint32_t a = 0;     ///< Input channels * kernel height * kernel width, + 1 with a bias.
  std::uint32_t g = 0;     ///< Output channels.
  std::uint64_t rows = 0;  ///< In one mini-batch: batch * output height * output width.
};

/// Elements of the upper triangle, diagonal included: what is sent of a symmetric matrix.
constexpr std::uint64_t packed_elements(std::uint32_t side) {
  return std::uint64_t{side} * (side + 1) / 2;
}
static_assert(packed_elements(3) == 6);

/// Size of the upper triangle in fp32.
constexpr Bytes packed_size(std::uint32_t side) {
  return {4.0 * static_cast<double>(packed_elements(side))};
}

}  // namespace stepcast
