#pragma once

#include <string>

#include "models/base/provenance.hpp"
#include "models/base/units.hpp"

namespace stepcast {

using Flops = Quantity<struct FlopsTag>;  ///< Floating-point operations: 2 per multiply-accumulate.
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;

constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
  return {work.value / rate.value};
}

/// What a kernel's duration is bounded by on one type of GPU.
struct DeviceSpec {
  std::string name;                   ///< "rtx2080ti".
  FlopsPerSecond peak_fp32{};         ///< Above zero.
  BytesPerSecond memory_bandwidth{};  ///< Above zero.
  BytesPerSecond elementwise{};       ///< Reached by element-wise kernels; 0 if not measured.
  Bytes memory{};                     ///< 0 if unknown.
  Provenance provenance;
};

/// What element-wise kernels move: as measured, else all of the memory's bandwidth.
constexpr BytesPerSecond elementwise_bandwidth(const DeviceSpec& device) {
  return device.elementwise > BytesPerSecond{} ? device.elementwise : device.memory_bandwidth;
}

}  // namespace stepcast
