#include <algorithm>

#include <cub/block/block_scan.cuh>

#include "sim/probe/cuda/selection_kernels.hpp"

namespace stepcast {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kItems = 16;  // of one thread in a gathering block
constexpr unsigned kDigits = kRadixDigits;
constexpr std::uint64_t kMostBlocks = 1024;

static_assert(kThreads == kDigits, "a thread for each digit");

__device__ std::uint32_t key_of(float value) {
  return radix_key(__float_as_uint(value));
}

__global__ void begin_kernel(RadixState* state, std::uint32_t prefix, std::uint32_t mask,
                             std::uint32_t missing) {
  state->histogram[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    state->prefix = prefix;
    state->mask = mask;
    state->missing = missing;
    state->found = 0;
    state->ties_taken = 0;
  }
}

/// Counts the digits of the keys that match the prefix.
__global__ void histogram_kernel(const float* data, std::uint64_t size, RadixState* state,
                                 unsigned shift) {
  __shared__ std::uint32_t counts[kDigits];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t prefix = state->prefix;
  const std::uint32_t mask = state->mask;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kThreads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < size;
       i += stride) {
    const std::uint32_t key = key_of(data[i]);
    if (matches_prefix(key, prefix, mask))
      atomicAdd(&counts[radix_digit(key, shift)], 1U);
  }
  __syncthreads();
  if (counts[threadIdx.x] > 0)
    atomicAdd(&state->histogram[threadIdx.x], counts[threadIdx.x]);
}

/// Chooses the digit in which the wanted element lies, and clears the histogram.
__global__ void choose_kernel(RadixState* state, unsigned shift) {
  if (threadIdx.x == 0)
    choose_digit(*state, shift);
  __syncthreads();
  state->histogram[threadIdx.x] = 0;
}

/// Gathers keys above the prefix and `missing` of those equal to it. A block takes its room in the
/// output with one atomic operation.
__global__ void gather_kernel(const float* data, std::uint64_t size, RadixState* state,
                              std::uint32_t capacity, std::uint32_t* places, float* values) {
  using Scan = cub::BlockScan<std::uint32_t, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ std::uint32_t first;
  const std::uint32_t wanted = state->prefix;
  const std::uint32_t missing = state->missing;
  const std::uint64_t chunk = std::uint64_t{kThreads} * kItems;
  for (std::uint64_t begin = blockIdx.x * chunk; begin < size; begin += gridDim.x * chunk) {
    std::uint32_t taken = 0;  // a bit for each item
    for (unsigned item = 0; item < kItems; ++item) {
      const std::uint64_t i = begin + item * kThreads + threadIdx.x;
      if (i >= size)
        continue;
      const std::uint32_t key = key_of(data[i]);
      const bool tie = key == wanted && missing > 0 && atomicAdd(&state->ties_taken, 1U) < missing;
      if (key > wanted || tie)
        taken |= 1U << item;
    }
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    Scan(storage).ExclusiveSum(static_cast<std::uint32_t>(__popc(taken)), before, all);
    if (threadIdx.x == 0)
      first = all > 0 ? atomicAdd(&state->found, all) : 0;
    __syncthreads();
    std::uint32_t to = first + before;
    for (unsigned item = 0; item < kItems; ++item) {
      if ((taken >> item & 1U) == 0)
        continue;
      const std::uint64_t i = begin + item * kThreads + threadIdx.x;
      if (to < capacity) {
        places[to] = static_cast<std::uint32_t>(i);
        values[to] = data[i];
      }
      ++to;
    }
    __syncthreads();
  }
}

unsigned blocks_for(std::uint64_t size, std::uint64_t per_block) {
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((size + per_block - 1) / per_block, 1, kMostBlocks));
}

}  // namespace

Selector::Selector(std::uint64_t capacity)
    : capacity_(capacity),
      state_(sizeof(RadixState)),
      places_(capacity * sizeof(std::uint32_t)),
      values_(capacity * sizeof(float)) {}

void Selector::top_k(const float* data, std::uint64_t size, std::uint64_t kept,
                     cudaStream_t stream) {
  auto* state = state_.as<RadixState>();
  begin_kernel<<<1, kDigits, 0, stream>>>(state, 0, 0, static_cast<std::uint32_t>(kept));
  for (const unsigned shift : kRadixShifts) {
    histogram_kernel<<<blocks_for(size, kThreads), kThreads, 0, stream>>>(data, size, state, shift);
    choose_kernel<<<1, kDigits, 0, stream>>>(state, shift);
  }
  gather_kernel<<<blocks_for(size, kThreads * kItems), kThreads, 0, stream>>>(
      data, size, state, static_cast<std::uint32_t>(capacity_), places_.as<std::uint32_t>(),
      values_.as<float>());
  check(cudaGetLastError(), "a top-k selection");
}

void Selector::above(const float* data, std::uint64_t size, float threshold, cudaStream_t stream) {
  auto* state = state_.as<RadixState>();
  std::uint32_t bits = 0;
  static_assert(sizeof(bits) == sizeof(threshold));
  std::copy_n(reinterpret_cast<const unsigned char*>(&threshold), sizeof(bits),
              reinterpret_cast<unsigned char*>(&bits));
  begin_kernel<<<1, kDigits, 0, stream>>>(state, bits - 1, ~0U, 0);
  gather_kernel<<<blocks_for(size, kThreads * kItems), kThreads, 0, stream>>>(
      data, size, state, static_cast<std::uint32_t>(capacity_), places_.as<std::uint32_t>(),
      values_.as<float>());
  check(cudaGetLastError(), "a threshold selection");
}

void Selector::fetch(const CudaStream& stream, std::vector<std::uint32_t>& places,
                     std::vector<float>& values) const {
  stream.synchronise();
  RadixState state{};
  check(cudaMemcpy(&state, state_.get(), sizeof(state), cudaMemcpyDeviceToHost), "a result");
  const std::uint64_t found = std::min<std::uint64_t>(state.found, capacity_);
  places.resize(found);
  values.resize(found);
  check(cudaMemcpy(places.data(), places_.get(), found * sizeof(std::uint32_t),
                   cudaMemcpyDeviceToHost),
        "a result");
  check(cudaMemcpy(values.data(), values_.get(), found * sizeof(float), cudaMemcpyDeviceToHost),
        "a result");
}

}  // namespace stepcast
