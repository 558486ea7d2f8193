#pragma once
// Stretches of a K-FAC step that several systems have in common.

#include "models/schedule/kfac/step.hpp"
#include "models/schedule/kfac/updates.hpp"

namespace stepcast::kfac {

/// Forward and backward, gradients; then all factors are constructed and all-reduced in bulk, each
/// waited for in this order.
void factors_after_backward(Step& step);

/// Preconditions every layer on all ranks.
void precondition_everywhere(Step& step);

/// Each owner inverts its factors, owner by owner; then all are broadcast one by one.
InversesInFlight invert_and_broadcast(Step& step, std::span<const Rank> owners);

/// The option "owners": how many of the ranks own factors. Throws InputError for more than there
/// are.
OptionInfo owners_option();
std::uint32_t owners_of(const OptionReader& read, const Cluster& cluster);

}  // namespace stepcast::kfac
