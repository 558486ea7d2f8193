#pragma once
// What stands for the work of a plan on a GPU: products for compute, copies between host and device
// for communication.

#include <cstdint>
#include <vector>

#include "sim/probe/cuda/gemm.hpp"
#include "sim/probe/cuda/support.hpp"

namespace stepcast {

/// Products of several sizes, the longest first, with operands and a handle of one stream.
class Products {
 public:
  explicit Products(const CudaStream& stream);

  static std::size_t count();
  void multiply(std::size_t product) const { operands_[product].multiply(cublas_); }

 private:
  Cublas cublas_;
  std::vector<GemmOperands> operands_;
};

/// A buffer on the device and one on the host, between which communication is emulated.
class HostLink {
 public:
  HostLink();

  /// Direction 0 is to the device, 1 from it; see direction_of() of replay_program.hpp.
  void copy(std::uint64_t bytes, std::size_t direction, const CudaStream& stream) const;

 private:
  Memory device_;
  Memory host_;
};

}  // namespace stepcast
