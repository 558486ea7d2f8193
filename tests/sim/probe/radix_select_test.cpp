#include "sim/probe/radix_select.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::uint32_t key_of(float value) {
  return radix_key(std::bit_cast<std::uint32_t>(value));
}

/// The passes as the kernels make them.
RadixState selected(const std::vector<float>& values, std::uint32_t kept) {
  RadixState state{};
  state.missing = kept;
  for (const unsigned shift : kRadixShifts) {
    std::ranges::fill(state.histogram, 0U);
    for (const float value : values)
      if (matches_prefix(key_of(value), state.prefix, state.mask))
        ++state.histogram[radix_digit(key_of(value), shift)];
    choose_digit(state, shift);
  }
  return state;
}

void expect_as_sorted(const std::vector<float>& values, std::uint32_t kept) {
  std::vector<std::uint32_t> keys;
  for (const float value : values)
    keys.push_back(key_of(value));
  std::ranges::sort(keys, std::greater{});
  const RadixState state = selected(values, kept);
  EXPECT_EQ(state.prefix, keys[kept - 1]);
  // What lies above it and the missing equal ones are as many as are wanted.
  const auto above = std::ranges::count_if(keys, [&](auto key) { return key > state.prefix; });
  EXPECT_EQ(static_cast<std::uint32_t>(above) + state.missing, kept);
}

TEST(RadixSelect, FindsTheSameKeyAsASort) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < 5000; ++i)
    values.push_back(random_value(1, i));
  for (const std::uint32_t kept : {1U, 50U, 2500U, 5000U})
    expect_as_sorted(values, kept);
}

TEST(RadixSelect, TakesOnlySoManyOfEqualValues) {
  // Kept: 2 and two of the three 1s, whatever their sign.
  const std::vector values{1.0F, 0.5F, -1.0F, 2.0F, 1.0F, 0.0F};
  expect_as_sorted(values, 3);
  EXPECT_EQ(selected(values, 3).missing, 2U);
}

TEST(RadixSelect, TellsNeighbouringFloatsApart) {
  // They differ in the last bit, which only the last pass sees; bit 7 belongs to two passes.
  std::vector<float> values{1.0F};
  for (int i = 0; i < 600; ++i)
    values.push_back(std::nextafter(values.back(), 2.0F));
  for (const std::uint32_t kept : {1U, 128U, 257U, 600U})
    expect_as_sorted(values, kept);
}

TEST(RadixSelect, KeepsZeros) {
  expect_as_sorted(std::vector<float>(10, 0.0F), 4);
}

}  // namespace
}  // namespace stepcast
