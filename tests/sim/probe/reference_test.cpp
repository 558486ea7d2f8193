#include "sim/probe/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "sim/probe/random_values.hpp"

namespace stepcast {
namespace {

TEST(Reference, DrawsValuesBetweenMinusOneAndOneWithTheirMeanAtZero) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const float value = random_value(kSeedA, i);
    ASSERT_GE(value, -1.0F);
    ASSERT_LT(value, 1.0F);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);  // standard error 0.58 / sqrt(1e5) = 0.002
}

TEST(Reference, RoundsToBf16TiesToEven) {
  EXPECT_EQ(rounded_to_bf16(1.0F), 1.0F);
  EXPECT_EQ(rounded_to_bf16(1.0F + 1.0F / 256), 1.0F);               // tie, down to even
  EXPECT_EQ(rounded_to_bf16(1.0F + 3.0F / 256), 1.0F + 4.0F / 256);  // tie, up to even
}

TEST(Reference, KnowsARightProductFromAWrongOne) {
  const KernelShape shape{.family = KernelFamily::GemmFp32, .m = 5, .n = 4, .k = 7};
  std::vector<float> c(20);
  for (std::uint64_t i = 0; i < 20; ++i)
    for (std::uint64_t l = 0; l < 7; ++l)
      c[i] += random_value(kSeedA, i % 5 + l * 5) * random_value(kSeedB, l + i / 5 * 7);
  std::vector<std::uint64_t> places(20);
  std::iota(places.begin(), places.end(), 0U);
  EXPECT_LT(gemm_error(shape, places, c), 1e-5);
  std::swap(c[3], c[4]);
  EXPECT_GT(gemm_error(shape, places, c), 0.1);
  c[0] = NAN;
  EXPECT_GT(gemm_error(shape, places, c), 1);
}

/// Gauss-Jordan in double precision.
std::vector<float> inverse_of(std::uint64_t side) {
  const float root = 1.0F / std::sqrt(static_cast<float>(side));
  std::vector<double> a(side * side);
  std::vector<double> inverse(side * side);
  for (std::uint64_t i = 0; i < side * side; ++i)
    a[i] = static_cast<double>(symmetric_value(kSeedA, i % side, i / side, root));
  for (std::uint64_t i = 0; i < side; ++i)
    inverse[i * side + i] = 1;
  for (std::uint64_t p = 0; p < side; ++p) {
    const double pivot = a[p * side + p];
    for (std::uint64_t j = 0; j < side; ++j) {
      a[p * side + j] /= pivot;
      inverse[p * side + j] /= pivot;
    }
    for (std::uint64_t i = 0; i < side; ++i) {
      const double factor = a[i * side + p];
      for (std::uint64_t j = 0; i != p && j < side; ++j) {
        a[i * side + j] -= factor * a[p * side + j];
        inverse[i * side + j] -= factor * inverse[p * side + j];
      }
    }
  }
  return {inverse.begin(), inverse.end()};
}

TEST(Reference, KnowsAnInverseFromAWrongOne) {
  std::vector<float> inverse = inverse_of(20);
  EXPECT_LT(inverse_error(20, inverse), 1e-5);
  inverse[19] *= 2;  // the corner of the lower triangle, in the first column
  EXPECT_GT(inverse_error(20, inverse), 1e-3);
}

TEST(Reference, FindsTheLargestAsASortDoes) {
  constexpr std::uint64_t kElements = 1000;
  std::vector<std::uint32_t> places(kElements);
  std::iota(places.begin(), places.end(), 0U);
  std::ranges::sort(places, std::greater{},
                    [](std::uint32_t i) { return std::abs(random_value(kSeedA, i)); });
  std::vector<float> values;
  for (const std::uint32_t place : places)
    values.push_back(random_value(kSeedA, place));
  const std::span kept(places.data(), 10);
  EXPECT_EQ(top_k_error(kElements, kept, std::span(values.data(), 10)), 0);
  EXPECT_EQ(
      top_k_error(kElements, std::span(places.data() + 1, 10), std::span(values.data() + 1, 10)),
      1);
  const float threshold = std::abs(values[9]);
  EXPECT_EQ(threshold_error(kElements, threshold, kept, std::span(values.data(), 10)), 0);
  EXPECT_EQ(threshold_error(kElements, threshold, std::span(places.data(), 9),
                            std::span(values.data(), 9)),
            1);
}

/// Ten bits of fraction, to nearest.
float rounded_to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x1000U) & 0xFFFFE000U);
}

/// The first 24 elements of a product with m = 24, summed in fp32, one after the other.
template <class Rounding>
double error_of_product(std::uint64_t k, Rounding rounded) {
  const KernelShape shape{.family = KernelFamily::GemmFp32, .m = 24, .n = 1, .k = k};
  const std::vector<std::uint64_t> places = spread_places(24, 24);
  std::vector<float> c(24);
  for (std::uint64_t i = 0; i < 24; ++i)
    for (std::uint64_t l = 0; l < k; ++l)
      c[i] += rounded(random_value(kSeedA, i + l * 24)) * rounded(random_value(kSeedB, l));
  return gemm_error(shape, places, c) / tolerance_of(shape);
}

TEST(Reference, KnowsFp32FromTf32) {
  for (const std::uint64_t k : {64U, 576U, 4608U}) {
    EXPECT_LT(error_of_product(k, [](float value) { return value; }), 1) << k;
    EXPECT_GT(error_of_product(k, rounded_to_tf32), 10) << k;
  }
}

TEST(Reference, AllowsLongSumsOfTensorCoresToDrift) {
  // 2^23 products in 2^20 additions, each of which may cut off 2^-23: an eighth.
  const KernelShape shape{.family = KernelFamily::GemmBf16, .m = 1, .n = 1, .k = 1U << 23U};
  EXPECT_DOUBLE_EQ(tolerance_of(shape), 2e-2 + 0.125);
  EXPECT_EQ(tolerance_of({.family = KernelFamily::TopK, .size = 10}), 0);
}

TEST(Reference, SpreadsPlacesOverBothEnds) {
  EXPECT_EQ(spread_places(101, 3), (std::vector<std::uint64_t>{0, 50, 100}));
  EXPECT_EQ(spread_places(2, 5), (std::vector<std::uint64_t>{0, 1}));
}

}  // namespace
}  // namespace stepcast
