#pragma once

#include <string>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/study/validate/cases/cases.hpp"

namespace stepcast {

/// A run's report, then layout, utilisation and a line for each stage.
std::string render_hybrid(const HybridForecast& hybrid, const std::string& adapters = "");

/// A line for each set, then what was left out.
std::string render_cases(const CaseResults& results);

}  // namespace stepcast
