#pragma once

#include "models/device/kernel_point.hpp"
#include "sim/probe/cuda/support.hpp"

namespace stepcast {

/// The operands of one matrix product, filled with random values.
class GemmOperands {
 public:
  GemmOperands(const KernelShape& shape, const CudaStream& stream);

  /// Puts C = A B into the handle's stream.
  void multiply(const Cublas& cublas) const;
  const float* result() const { return c_.as<float>(); }

 private:
  KernelShape shape_;
  Memory a_;
  Memory b_;
  Memory c_;
};

/// Keeps the current GPU busy with matrix products: one that has nothing to do lowers its clocks,
/// and the first kernels after that would be measured too slow.
class ClockRaiser {
 public:
  ClockRaiser();
  void run(Seconds time) const;

 private:
  CudaStream stream_;
  Cublas cublas_;
  GemmOperands operands_;
};

}  // namespace stepcast
