#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// What changed from another run of a job to this one: both verdicts, step times, what the mean
/// rank waits, and the ranks, stages and kinds whose slow-down moved most.
std::string render_comparison(const Diagnosis& diagnosis, const Diagnosis& against);

}  // namespace stepcast
