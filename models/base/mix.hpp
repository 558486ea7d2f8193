#pragma once

#include <cstdint>

namespace stepcast {

/// Mixes `value` into `seed` (splitmix64): different inputs share a result with a probability of
/// 2^-64.
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15U + value + 0x632be59bd9b4e019U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace stepcast
