#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast::kfac {

/// One packed factor on its way to be all-reduced.
struct FactorReady {
  Seconds before{};  ///< Between the tensor before it (or the begin of the pass) and its readiness.
  Bytes size{};
};

/// What an all-reduce takes: startup + size / bandwidth.
struct LinearCost {
  Seconds startup{};
  BytesPerSecond bandwidth{};
};

/// SPD-KFAC's optimal tensor fusion: walks the tensors in the order in which they become ready and
/// merges one into the next if its own communication could not have started by the time the next
/// is ready, or would have started less than a start-up before. Returns for each tensor the number
/// of its group, ascending from 0.
std::vector<std::uint32_t> fuse_optimally(std::span<const FactorReady> tensors,
                                          const LinearCost& cost);

}  // namespace stepcast::kfac
