#pragma once
// Small kernels, as functions that put one execution into a stream. Sizes count elements.

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "models/base/units.hpp"

namespace stepcast {

/// data[i] = random_value(seed, i).
void fill_random(float* data, std::uint64_t size, std::uint64_t seed, cudaStream_t stream);
void fill_random(__nv_bfloat16* data, std::uint64_t size, std::uint64_t seed, cudaStream_t stream);

/// side x side elements of symmetric_value(seed).
void fill_symmetric(float* data, std::uint64_t side, std::uint64_t seed, cudaStream_t stream);

void launch_nothing(cudaStream_t stream);

/// Waits with one thread.
void launch_timer(Seconds time, cudaStream_t stream);

/// y += a x.
void add_scaled(float* y, const float* x, float a, std::uint64_t size, cudaStream_t stream);

/// packed[k] = the k-th element of the upper triangle, column by column.
void pack_triangle(float* packed, const float* matrix, std::uint64_t side, cudaStream_t stream);

/// places[i]: a place of its own for each of `count` values, random within its stretch of the
/// dense tensor. See scatter_place() of random_values.hpp.
void fill_places(std::uint32_t* places, std::uint64_t count, std::uint64_t stretch,
                 cudaStream_t stream);

/// dense[places[i]] += values[i].
void scatter_add(float* dense, const std::uint32_t* places, const float* values,
                 std::uint64_t count, cudaStream_t stream);

}  // namespace stepcast
