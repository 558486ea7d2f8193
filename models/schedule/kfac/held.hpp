#pragma once

#include "models/schedule/memory.hpp"

namespace stepcast::kfac {

/// Adds what second-order training keeps on the rank that holds most: matrices are fp32 and kept
/// whole (packed only to travel). A rank holds the factors it constructs and the inverses it
/// computes or receives. Where G is made after the backward pass, hooks keep the gradients of all
/// layer outputs until then, else of one layer; the inputs, of which A is made, are counted as
/// activations already. Adds nothing to a plan without factors.
void add_held(MemoryUse& use, const Plan& plan, const Workload& workload);

}  // namespace stepcast::kfac
