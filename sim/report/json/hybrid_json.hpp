#pragma once

#include <string>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/study/validate/cases/cases.hpp"

namespace stepcast {

/// A forecast as to_json() writes it, with layout, stages and model_flops_utilisation.
std::string hybrid_json(const HybridForecast& hybrid);

/// Rows, errors by set, and what was left out.
std::string cases_json(const CaseResults& results);

}  // namespace stepcast
