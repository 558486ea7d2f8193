#pragma once

#include <cstdint>
#include <span>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// One period of a schedule whose training steps differ: K-FAC that inverts every tenth step, a
/// threshold that is refreshed every 32nd. `kinds` are plans of one step each, with the same
/// streams and without edges into the next iteration; `order` lists which kind comes after which,
/// at least one. Streams run on from step to step in plan order, so a step starts its compute when
/// that of the step before has ended, and communication that nobody waited for may still run.
/// Throws InputError if the period would have more than 2,000,000 tasks.
Plan period_of(std::span<const Plan> kinds, std::span<const std::uint32_t> order);

}  // namespace stepcast
