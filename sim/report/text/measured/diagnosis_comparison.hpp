#pragma once

#include <string>

#include "sim/study/diagnose/diagnosis.hpp"

namespace stepcast {

/// What changed from another run of a job to this one: step times, slow-downs by stage and kind,
/// both verdicts.
std::string render_comparison(const Diagnosis& diagnosis, const Diagnosis& against);

}  // namespace stepcast
