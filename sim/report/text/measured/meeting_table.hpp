#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// The collectives and messages that cost most; empty: there are none.
std::string render_meetings(const Diagnosis& diagnosis);

}  // namespace stepcast
