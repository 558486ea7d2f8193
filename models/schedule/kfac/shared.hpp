#pragma once
// Stretches of a K-FAC step that several systems have in common.

#include "models/schedule/kfac/step.hpp"
#include "models/schedule/kfac/updates.hpp"
#include "models/schedule/schedule_info.hpp"

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

/// A K-FAC system as the registry knows it; `build` writes one of its training steps.
template <BuildStep build>
ScheduleInfo system_of(const char* name, const char* summary, const char* source,
                       std::vector<OptionInfo> options) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .options = std::move(options),
          .build = in_periods<build>,
          .second_order = true,
          .parts = parts_info()};
}

}  // namespace stepcast::kfac
