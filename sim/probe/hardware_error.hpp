#pragma once

#include <stdexcept>
#include <string>

namespace stepcast {

/// What was asked for is well formed, but this machine or this build lacks something for it: a
/// GPU, a driver, memory, NCCL. The message says what, and what still works. Exit code 3.
class HardwareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stepcast
