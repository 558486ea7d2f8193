#pragma once
// What the kernels' outputs must be, in double precision on the host. Errors are relative: an error
// of 1 is as large as what was computed.

#include <cstdint>
#include <span>
#include <vector>

#include "models/device/kernel_point.hpp"

namespace stepcast {

/// Seeds of the inputs.
inline constexpr std::uint64_t kSeedA = 1;
inline constexpr std::uint64_t kSeedB = 2;

/// `count` places from 0 to size - 1, evenly spread, both ends among them.
std::vector<std::uint64_t> spread_places(std::uint64_t size, std::uint64_t count);

/// fp32 rounded to bf16, to nearest, ties to even.
float rounded_to_bf16(float value);

/// Largest error of the elements at `places` of C = A B (column-major; A and B are random_value of
/// kSeedA and kSeedB by element), over the standard deviation of such an element.
double gemm_error(const KernelShape& shape, std::span<const std::uint64_t> places,
                  std::span<const float> found);

/// `inverse` holds the lower triangle (column-major) of the inverse of the side x side matrix of
/// symmetric_value(kSeedA): the largest element of |A inverse - I| in a few columns.
double inverse_error(std::uint64_t side, std::span<const float> inverse);

/// Whether the `places` and `values` are the k largest |random_value(kSeedA)| of n elements, as a
/// sort would find them; equal values at the border may be any. 0 if so, else 1.
double top_k_error(std::uint64_t n, std::span<const std::uint32_t> places,
                   std::span<const float> values);

/// The same for all elements of at least `threshold`.
double threshold_error(std::uint64_t n, float threshold, std::span<const std::uint32_t> places,
                       std::span<const float> values);

/// Largest |found - expected| over the largest |expected|, and at least 1e-30.
double largest_error(std::span<const double> expected, std::span<const float> found);

/// The larger of two errors; a NaN counts as infinite.
double worse(double worst, double error);

/// Above this error an output is wrong, not rounded: tf32 and the sums of tensor cores keep ten to
/// thirteen bits, and cut off rather than round what they add up, eight products at a time, so that
/// long sums drift. Products in fp32 err as roundings of 2^-24 add up at random; twice that, and a
/// floor for short sums, is far below the 4e-4 and more of tf32, so that tensor cores which someone
/// forced on (NVIDIA_TF32_OVERRIDE) do not pass for fp32. Copies and selections are exact.
double tolerance_of(const KernelShape& shape);

}  // namespace stepcast
