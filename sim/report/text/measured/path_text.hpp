#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// Who kept others waiting most, and what the critical path over all ranks consists of: kinds of
/// work, ranks, the longest stretches of a usual step.
std::string render_path(const Diagnosis& diagnosis);

}  // namespace stepcast
