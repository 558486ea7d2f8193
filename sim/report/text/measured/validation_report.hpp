#pragma once

#include <span>
#include <string>

#include "sim/study/validate/validate.hpp"

namespace stepcast {

/// A Markdown table for each cluster and use, with measured and predicted time and the error in a
/// column for each number of GPUs; then median and worst error for each use, and for each schedule
/// over its check cases.
std::string render_validation(std::span<const Validation> validations);

/// {"cases": [...], "summary": {...}, "checks_by_schedule": {...}}
std::string validation_json(std::span<const Validation> validations);

}  // namespace stepcast
