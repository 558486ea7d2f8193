#pragma once

#include <string>
#include <vector>

#include "traces/readers/kineto/layers/layer_times.hpp"

namespace stepcast {

/// Gives gradients without a recorded shape that of an execution trace, which must hold all of the
/// step's: joined by PyTorch's numbers of the calls, else by order if the execution trace holds the
/// same sequence of the step's length once or several times. Steps that fit neither, and recorded
/// shapes that differ, are counted as doubtful. Returns how it was done, for the provenance; empty
/// if nothing was missing or nothing fits.
std::string supply_shapes(const std::vector<TraceSupplement>& supplements,
                          std::vector<StepLayers>& steps, ImportReport& report);

}  // namespace stepcast
