#pragma once

#include <string>

#include "sim/study/diagnose/diagnosis.hpp"

namespace stepcast {

/// A diagnosis as JSON text, indented; times in seconds.
std::string diagnosis_json(const Diagnosis& diagnosis);

}  // namespace stepcast
