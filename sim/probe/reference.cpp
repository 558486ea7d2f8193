#include "sim/probe/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/probe/random_values.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kColumnsChecked = 3;

/// Distinct places with their right values.
bool all_true(std::uint64_t n, std::span<const std::uint32_t> places,
              std::span<const float> values) {
  if (places.size() != values.size())
    return false;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= n || random_value(kSeedA, places[i]) != values[i])
      return false;
  std::vector<std::uint32_t> sorted(places.begin(), places.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

}  // namespace

std::vector<std::uint64_t> spread_places(std::uint64_t size, std::uint64_t count) {
  std::vector<std::uint64_t> places;
  const std::uint64_t used = std::min(size, count);
  for (std::uint64_t i = 0; i < used; ++i)
    places.push_back(used == 1 ? 0
                               : static_cast<std::uint64_t>(static_cast<double>(size - 1) *
                                                            static_cast<double>(i) /
                                                            static_cast<double>(used - 1)));
  return places;
}

float rounded_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7FFFU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(rounded & 0xFFFF0000U);
}

double gemm_error(const KernelShape& shape, std::span<const std::uint64_t> places,
                  std::span<const float> found) {
  const bool bf16 = shape.family == KernelFamily::GemmBf16;
  const auto input = [bf16](std::uint64_t seed, std::uint64_t index) {
    const float value = random_value(seed, index);
    return static_cast<double>(bf16 ? rounded_to_bf16(value) : value);
  };
  double worst = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint64_t row = places[i] % shape.m;
    const std::uint64_t column = places[i] / shape.m;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t l = 0; l < shape.k; ++l) {
      const double product = input(kSeedA, row + l * shape.m) * input(kSeedB, l + column * shape.k);
      sum += product;
      squares += product * product;
    }
    const double error = std::abs(static_cast<double>(found[i]) - sum) / std::sqrt(squares + 1e-30);
    worst = worse(worst, error);
  }
  return worst;
}

double inverse_error(std::uint64_t side, std::span<const float> inverse) {
  const float inverse_root = 1.0F / std::sqrt(static_cast<float>(side));
  const auto inverse_at = [&](std::uint64_t row, std::uint64_t column) {
    const std::uint64_t low = std::max(row, column);
    const std::uint64_t high = std::min(row, column);
    return static_cast<double>(inverse[low + high * side]);
  };
  double worst = 0;
  for (const std::uint64_t column : spread_places(side, kColumnsChecked))
    for (std::uint64_t row = 0; row < side; ++row) {
      double sum = row == column ? -1 : 0;
      for (std::uint64_t l = 0; l < side; ++l)
        sum += static_cast<double>(symmetric_value(kSeedA, row, l, inverse_root)) *
               inverse_at(l, column);
      const double error = std::abs(sum);
      worst = worse(worst, error);
    }
  return worst;
}

double top_k_error(std::uint64_t n, std::span<const std::uint32_t> places,
                   std::span<const float> values) {
  if (places.empty() || !all_true(n, places, values))
    return 1;
  float least = INFINITY;
  for (const float value : values)
    least = std::min(least, std::abs(value));
  std::uint64_t above = 0;
  for (std::uint64_t i = 0; i < n; ++i)
    above += std::abs(random_value(kSeedA, i)) > least ? 1 : 0;
  const auto selected_above = static_cast<std::uint64_t>(
      std::ranges::count_if(values, [least](float value) { return std::abs(value) > least; }));
  return selected_above == above ? 0 : 1;
}

double threshold_error(std::uint64_t n, float threshold, std::span<const std::uint32_t> places,
                       std::span<const float> values) {
  if (!all_true(n, places, values))
    return 1;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < n; ++i)
    expected += std::abs(random_value(kSeedA, i)) >= threshold ? 1 : 0;
  const bool all_above = std::ranges::all_of(
      values, [threshold](float value) { return std::abs(value) >= threshold; });
  return all_above && expected == values.size() ? 0 : 1;
}

double largest_error(std::span<const double> expected, std::span<const float> found) {
  double scale = 1e-30;
  for (const double value : expected)
    scale = std::max(scale, std::abs(value));
  double worst = expected.size() == found.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
    const double error = std::abs(expected[i] - static_cast<double>(found[i])) / scale;
    worst = worse(worst, error);
  }
  return worst;
}

double worse(double worst, double error) {
  return std::isnan(error) ? INFINITY : std::max(worst, error);
}

double tolerance_of(const KernelShape& shape) {
  switch (shape.family) {
    case KernelFamily::GemmTf32:
    case KernelFamily::GemmBf16:
      return 2e-2 + static_cast<double>(shape.k) / 8 * 0x1p-23;
    case KernelFamily::GemmFp32:
      return 4e-6 + 2 * std::sqrt(static_cast<double>(shape.k)) * 0x1p-24;
    case KernelFamily::Inverse:
      return 1e-3;
    case KernelFamily::Elementwise:
    case KernelFamily::ScatterAdd:
    case KernelFamily::AllReduce:
    case KernelFamily::ReduceScatter:
    case KernelFamily::Reduce:
      return 1e-5;
    case KernelFamily::TopK:
    case KernelFamily::ThresholdTopK:
    case KernelFamily::Packing:
    case KernelFamily::Launch:
    case KernelFamily::CopyDevice:
    case KernelFamily::CopyToDevice:
    case KernelFamily::CopyFromDevice:
    case KernelFamily::CopyPeer:
    case KernelFamily::AllGather:
    case KernelFamily::Broadcast:
    case KernelFamily::AllToAll:
    case KernelFamily::OverlapCompute:
    case KernelFamily::OverlapCommunication:
      return 0;
  }
  return 0;
}

}  // namespace stepcast
