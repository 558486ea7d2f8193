#pragma once

#include <string>

#include "models/workload/workload.hpp"

namespace stepcast {

/// The workload in StepCast's own format, one layer a line so that changes are easy to compare.
/// Times carry 9 significant digits; sizes and counts are exact. The same workload gives the same
/// bytes.
std::string to_json_text(const Workload& workload);

}  // namespace stepcast
