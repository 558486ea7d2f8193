#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// One page on a job: the verdict first, then step times, what explains the waste, slow-downs by
/// part, and the ranks, of many those that matter most.
std::string render_diagnosis(const Diagnosis& diagnosis);

}  // namespace stepcast
