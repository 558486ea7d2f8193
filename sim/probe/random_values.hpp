#pragma once
// Random inputs that host and device compute alike, so that references need no copies.

#include <cstdint>

#ifdef __CUDACC__
#define STEPCAST_HOST_DEVICE __host__ __device__
#else
#define STEPCAST_HOST_DEVICE
#endif

namespace stepcast {

/// SplitMix64 (Steele, Lea, Flood 2014) of element `index` of stream `seed`.
STEPCAST_HOST_DEVICE constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Uniform in [-1, 1), a multiple of 2^-23: exact in fp32.
STEPCAST_HOST_DEVICE constexpr float random_value(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(static_cast<std::int64_t>(random_bits(seed, index) >> 40) -
                            (std::int64_t{1} << 23)) *
         (1.0F / (1 << 23));
}

/// Element (row, column) of a symmetric matrix whose eigenvalues lie around 2, within about 1.2:
/// 2 I plus random values over the root of the side (Wigner's semicircle).
STEPCAST_HOST_DEVICE constexpr float symmetric_value(std::uint64_t seed, std::uint64_t row,
                                                     std::uint64_t column, float inverse_root) {
  const std::uint64_t low = row < column ? row : column;
  const std::uint64_t high = row < column ? column : row;
  const float off = random_value(seed, (low << 32) | high) * inverse_root;
  return row == column ? 2.0F + off : off;
}

/// Where value `index` of a scatter goes: somewhere in the index-th stretch.
STEPCAST_HOST_DEVICE constexpr std::uint64_t scatter_place(std::uint64_t index,
                                                           std::uint64_t stretch) {
  return index * stretch + random_bits(3, index) % stretch;
}

}  // namespace stepcast
