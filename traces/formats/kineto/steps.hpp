#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

/// What names of the profiler's annotations begin with, before the step's number.
inline constexpr std::string_view kProfilerStep = "ProfilerStep#";

/// One training step on the host's clock.
struct KinetoStep {
  std::string name;
  Seconds begin{};
  Seconds end{};
  bool mark_lost = false;  ///< What is between two others: its own mark was not recorded.

  Seconds duration() const { return end - begin; }
};

struct KinetoSteps {
  std::vector<KinetoStep> steps;  ///< In order of time, without overlap; never empty.
  std::string how;                ///< By what they were told apart.
  bool marked = true;             ///< By anything at all.
  std::uint16_t thread = 0;       ///< The thread that trains.
  std::size_t overlapping = 0;    ///< Left out, as they overlap.
};

/// What ranks that recorded other steps know the step at a place by: the number of its ProfilerStep
/// annotation; the place where steps are told apart by anything else.
std::uint32_t common_number(const KinetoSteps& steps, std::uint32_t place);

/// Steps by the profiler's ProfilerStep annotations; else from one occurrence to the next of the
/// first annotation that repeats, the last one to the end of the work; else all of the trace as one
/// step.
KinetoSteps find_steps(const KinetoTrace& trace);

}  // namespace stepcast
