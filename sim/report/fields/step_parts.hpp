#pragma once

#include <span>

#include "sim/timeline/breakdown.hpp"

namespace stepcast {

/// A part of a step as heads of reports, pictures and the page show it: kinds of compute and of
/// communication are added up.
struct StepPart {
  const char* name;
  const char* key;  ///< Of the breakdown in JSON.
  Seconds (*time)(const Breakdown& parts);
};

/// The least share of a step that is shown: less would show as 0.0 %.
inline constexpr double kLeastShown = 0.0005;

/// Returns the parts in the order in which they are shown. They add up to the step.
std::span<const StepPart> step_parts();

}  // namespace stepcast
