#pragma once

#include "models/schedule/plan.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

inline constexpr const char* kAccumulation = "accumulation";

/// The option that every schedule has.
OptionInfo accumulation_option();

/// The plan with `passes` forward and backward passes before its gradients are communicated: the
/// additional ones, each a backward and a forward pass, come between the first forward pass, which
/// may wait for parameters, and the last backward pass, which makes the gradients ready.
Plan with_accumulation(Plan plan, const Workload& workload, std::uint32_t passes);

/// How many mini-batches a rank that trains works through in a training step, on average.
std::uint32_t passes_of(const Plan& plan);

/// How many ranks train; the others serve.
std::uint32_t workers_of(const Plan& plan);

}  // namespace stepcast
