#pragma once

#include "sim/probe/cuda/support.hpp"

namespace stepcast {

/// Makes a GPU the current one, and the one before it again at the end.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "the current device");
    check(cudaSetDevice(device), "a device");
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace stepcast
