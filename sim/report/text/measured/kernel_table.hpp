#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// In which kernels the slowest rank loses against the fastest of its stage; empty: ranks are
/// alike.
std::string render_uneven_kernels(const Diagnosis& diagnosis);

}  // namespace stepcast
