#include <algorithm>
#include <cmath>

#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/support.hpp"
#include "sim/probe/random_values.hpp"
#include "sim/probe/triangle.hpp"

namespace stepcast {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 65536;

/// Enough blocks for all elements; each thread strides on where they are too many.
unsigned blocks_for(std::uint64_t size) {
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((size + kThreads - 1) / kThreads, 1, kMostBlocks));
}

__device__ std::uint64_t first_element() {
  return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__device__ std::uint64_t all_threads() {
  return std::uint64_t{gridDim.x} * blockDim.x;
}

__device__ void store(float* to, float value) {
  *to = value;
}

__device__ void store(__nv_bfloat16* to, float value) {
  *to = __float2bfloat16_rn(value);
}

template <class T>
__global__ void fill_random_kernel(T* data, std::uint64_t size, std::uint64_t seed) {
  for (std::uint64_t i = first_element(); i < size; i += all_threads())
    store(data + i, random_value(seed, i));
}

__global__ void fill_symmetric_kernel(float* data, std::uint64_t side, std::uint64_t seed,
                                      float inverse_root) {
  for (std::uint64_t i = first_element(); i < side * side; i += all_threads())
    data[i] = symmetric_value(seed, i % side, i / side, inverse_root);
}

__global__ void nothing_kernel() {}

__device__ std::uint64_t nanoseconds_now() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void timer_kernel(std::uint64_t nanoseconds) {
  const std::uint64_t begin = nanoseconds_now();
  while (nanoseconds_now() - begin < nanoseconds) {
  }
}

__global__ void add_scaled_kernel(float* y, const float* x, float a, std::uint64_t size) {
  for (std::uint64_t i = first_element(); i < size; i += all_threads())
    y[i] += a * x[i];
}

/// A block for each column of the triangle.
__global__ void pack_triangle_kernel(float* packed, const float* matrix, std::uint64_t side) {
  for (std::uint64_t column = blockIdx.x; column < side; column += gridDim.x)
    for (std::uint64_t row = threadIdx.x; row <= column; row += blockDim.x)
      packed[packed_place(row, column)] = matrix[column * side + row];
}

__global__ void fill_places_kernel(std::uint32_t* places, std::uint64_t count,
                                   std::uint64_t stretch) {
  for (std::uint64_t i = first_element(); i < count; i += all_threads())
    places[i] = static_cast<std::uint32_t>(scatter_place(i, stretch));
}

__global__ void scatter_add_kernel(float* dense, const std::uint32_t* places, const float* values,
                                   std::uint64_t count) {
  for (std::uint64_t i = first_element(); i < count; i += all_threads())
    atomicAdd(dense + places[i], values[i]);
}

}  // namespace

void fill_random(float* data, std::uint64_t size, std::uint64_t seed, cudaStream_t stream) {
  fill_random_kernel<<<blocks_for(size), kThreads, 0, stream>>>(data, size, seed);
  check(cudaGetLastError(), "filling an input");
}

void fill_random(__nv_bfloat16* data, std::uint64_t size, std::uint64_t seed, cudaStream_t stream) {
  fill_random_kernel<<<blocks_for(size), kThreads, 0, stream>>>(data, size, seed);
  check(cudaGetLastError(), "filling an input");
}

void fill_symmetric(float* data, std::uint64_t side, std::uint64_t seed, cudaStream_t stream) {
  const float inverse_root = 1.0F / std::sqrt(static_cast<float>(side));
  fill_symmetric_kernel<<<blocks_for(side * side), kThreads, 0, stream>>>(data, side, seed,
                                                                          inverse_root);
  check(cudaGetLastError(), "filling a matrix");
}

void launch_nothing(cudaStream_t stream) {
  nothing_kernel<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "an empty kernel");
}

void launch_timer(Seconds time, cudaStream_t stream) {
  timer_kernel<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(time.value * 1e9));
  check(cudaGetLastError(), "a timer");
}

void add_scaled(float* y, const float* x, float a, std::uint64_t size, cudaStream_t stream) {
  add_scaled_kernel<<<blocks_for(size), kThreads, 0, stream>>>(y, x, a, size);
  check(cudaGetLastError(), "an elementwise kernel");
}

void pack_triangle(float* packed, const float* matrix, std::uint64_t side, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(side, kMostBlocks));
  pack_triangle_kernel<<<blocks, kThreads, 0, stream>>>(packed, matrix, side);
  check(cudaGetLastError(), "packing a triangle");
}

void fill_places(std::uint32_t* places, std::uint64_t count, std::uint64_t stretch,
                 cudaStream_t stream) {
  fill_places_kernel<<<blocks_for(count), kThreads, 0, stream>>>(places, count, stretch);
  check(cudaGetLastError(), "filling places");
}

void scatter_add(float* dense, const std::uint32_t* places, const float* values,
                 std::uint64_t count, cudaStream_t stream) {
  scatter_add_kernel<<<blocks_for(count), kThreads, 0, stream>>>(dense, places, values, count);
  check(cudaGetLastError(), "a scatter-add");
}

}  // namespace stepcast
