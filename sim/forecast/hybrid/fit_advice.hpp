#pragma once

#include <string>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"

namespace stepcast {

/// What would make a job fit its device, in a sentence: single changes of its options that suffice,
/// with the memory that they come to; where none does, several together; where nothing does, how
/// many GPUs would. Memory is worked out, nothing is simulated.
std::string fit_advice(const HybridScenario& scenario, const HybridJob& job);

}  // namespace stepcast
