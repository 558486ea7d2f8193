#pragma once
// The steps of a radix selection that host and device compute alike: see Selector of
// cuda/selection_kernels.hpp for how they are put together.

#include <cstdint>

#include "sim/probe/random_values.hpp"

namespace stepcast {

inline constexpr unsigned kRadixDigits = 256;

/// Bits to the right of the digit of each pass. A key has 31 bits, so the last two digits share
/// one, which the last pass finds again.
inline constexpr unsigned kRadixShifts[] = {23, 15, 7, 0};

/// What the passes hand to each other.
struct RadixState {
  std::uint32_t prefix;      ///< Bits of the wanted key found so far.
  std::uint32_t mask;        ///< Which bits those are.
  std::uint32_t missing;     ///< Elements wanted among those that match the prefix.
  std::uint32_t found;       ///< Elements gathered.
  std::uint32_t ties_taken;  ///< Of them equal to the key.
  std::uint32_t histogram[kRadixDigits];
};

/// The absolute value's bits: they order as the values do.
STEPCAST_HOST_DEVICE constexpr std::uint32_t radix_key(std::uint32_t bits_of_float) {
  return bits_of_float & 0x7FFFFFFFU;
}

STEPCAST_HOST_DEVICE constexpr std::uint32_t radix_digit(std::uint32_t key, unsigned shift) {
  return (key >> shift) & (kRadixDigits - 1);
}

STEPCAST_HOST_DEVICE constexpr bool matches_prefix(std::uint32_t key, std::uint32_t prefix,
                                                   std::uint32_t mask) {
  return (key & mask) == prefix;
}

/// Moves on to the digit in which the wanted element lies.
STEPCAST_HOST_DEVICE constexpr void choose_digit(RadixState& state, unsigned shift) {
  std::uint32_t digit = kRadixDigits - 1;
  while (digit > 0 && state.histogram[digit] < state.missing)
    state.missing -= state.histogram[digit--];
  state.prefix |= digit << shift;
  state.mask |= (kRadixDigits - 1) << shift;
}

}  // namespace stepcast
