#pragma once

#include <string>

#include "sim/study/validate/cases/cases.hpp"

namespace stepcast {

/// A line for each set, then what was left out.
std::string render_cases(const CaseResults& results);

}  // namespace stepcast
