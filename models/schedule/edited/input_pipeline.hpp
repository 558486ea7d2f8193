#pragma once

#include "models/base/units.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// The plan with an input pipeline, on a stream of its own: the first forward pass of each training
/// step waits for the samples of the step, each of which takes `per_sample` to read and prepare.
/// The pipeline goes on while the device computes, up to two iterations ahead. 0: the plan as it
/// is.
Plan with_input(Plan plan, Seconds per_sample);

}  // namespace stepcast
