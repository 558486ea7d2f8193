#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/units.hpp"
#include "models/collective/collective.hpp"

namespace stepcast {

/// Time of a communication by size: startup + size / bandwidth.
struct LinearCost {
  Seconds startup{};
  BytesPerSecond bandwidth{};  ///< 0: any size takes the start-up only.
};

/// The line through two sizes of a collective on an idle network, its launch included.
LinearCost linear_cost_of(Collective collective, const Group& group, const Cluster& cluster);

/// A gradient that may travel with its neighbours.
struct Mergeable {
  Seconds ready{};  ///< From the begin of the backward pass.
  std::uint64_t elements = 0;
  Bytes size{};
};

/// When a gradient is held back for the next one.
enum class MergeRule : std::uint8_t {
  StartupSaved,   ///< If the wait for the next one costs less than a start-up (MG-WFBP).
  NetworkIsBusy,  ///< Only if it could not start before the next one is ready (ASC-WFBP).
};

/// How many gradients each group takes, for gradients in the order in which they become ready.
///
/// MG-WFBP (Shi, Chu, Li, INFOCOM 2019; the released code): walking from the first gradient, which
/// becomes ready at r, is communicated from c = max(end of the one before, r) and would take t, it
/// joins the next one, ready at r', if r' < c + t and (c > r' or r' - c < startup). Gradients of
/// fewer than 8,192 elements always join the next one.
std::vector<std::size_t> merged_groups(std::span<const Mergeable> gradients, const LinearCost& cost,
                                       MergeRule rule);

}  // namespace stepcast
