#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// A diagnosis as JSON text, indented; times in seconds. `against`: another run to compare with.
std::string diagnosis_json(const Diagnosis& diagnosis, const Diagnosis* against = nullptr);

}  // namespace stepcast
