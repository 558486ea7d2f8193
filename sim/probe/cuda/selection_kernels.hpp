#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "sim/probe/cuda/support.hpp"
#include "sim/probe/radix_select.hpp"

namespace stepcast {

/// Elements of large absolute value and their places, found by radix selection: four passes find
/// the bits of the k-th largest absolute value, eight bits a pass by a histogram; a last pass
/// gathers what lies above it, and of the equal ones as many as are missing (as in Alabi et al.,
/// Fast K-Selection Algorithms for Graphics Processing Units, 2012).
class Selector {
 public:
  /// For inputs of less than 2^32 elements, of which up to `capacity` are kept.
  explicit Selector(std::uint64_t capacity);

  /// The `kept` largest of data[0..size).
  void top_k(const float* data, std::uint64_t size, std::uint64_t kept, cudaStream_t stream);
  /// All of at least `threshold` in absolute value, but at most the capacity.
  void above(const float* data, std::uint64_t size, float threshold, cudaStream_t stream);

  /// What was found, on the host: places and values in any order.
  void fetch(const CudaStream& stream, std::vector<std::uint32_t>& places,
             std::vector<float>& values) const;

 private:
  std::uint64_t capacity_;
  Memory state_;
  Memory places_;
  Memory values_;
};

}  // namespace stepcast
