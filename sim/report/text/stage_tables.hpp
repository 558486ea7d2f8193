#pragma once

#include <string>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// The layout of a model-parallel schedule, its utilisation, what each stage does and what its
/// bubble is; empty for another schedule.
std::string stage_tables(const Forecast& forecast);

}  // namespace stepcast
