#pragma once

#include <string>
#include <vector>

#include "traces/readers/kineto/device_work.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Parts of a step add up to it within this share, or a report doubts it.
inline constexpr double kDoubtedShare = 0.01;
/// Beyond this share a trace is not imported.
inline constexpr double kRefusedShare = 0.05;

/// Why the steps of a trace are not to be trusted, in sentences: parts that do not add up to the
/// step, and work launched before the profile that was taken for that of the only step.
std::vector<std::string> step_doubts(const KinetoTrace& trace, const KinetoView& view,
                                     const std::vector<StepSummary>& steps);

}  // namespace stepcast
