#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// What a step would take if one thing about it were better.
std::string render_gains(const Diagnosis& diagnosis);

}  // namespace stepcast
