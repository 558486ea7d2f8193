#pragma once

#include "sim/probe/cuda/gemm.hpp"
#include "sim/probe/cuda/support.hpp"

namespace stepcast {

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
