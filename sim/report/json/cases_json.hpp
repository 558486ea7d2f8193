#pragma once

#include <string>

#include "sim/study/validate/cases/cases.hpp"

namespace stepcast {

/// Rows, errors by set, and what was left out.
std::string cases_json(const CaseResults& results);

}  // namespace stepcast
