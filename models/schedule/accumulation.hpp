#pragma once

#include "models/schedule/option_info.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

inline constexpr const char* kAccumulation = "accumulation";

/// The option that every schedule has.
OptionInfo accumulation_option();

/// The plan with `passes` forward and backward passes before its gradients are communicated: the
/// additional ones, each a backward and a forward pass, come between the first forward pass, which
/// may wait for parameters, and the last backward pass, which makes the gradients ready.
Plan with_accumulation(Plan plan, const Workload& workload, std::uint32_t passes);

}  // namespace stepcast
