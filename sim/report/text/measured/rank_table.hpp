#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// Where the time of the slowest ranks goes, ms a step. Columns in which no rank has anything are
/// left out.
std::string render_ranks(const Diagnosis& diagnosis);

}  // namespace stepcast
