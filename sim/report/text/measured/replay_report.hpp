#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "sim/jobs/replay.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// A recorded step, as it was simulated.
struct ReplayedStep {
  std::string name;
  Seconds recorded{};
  Seconds simulated{};
  bool whole = true;     ///< See RecordedStep.
  bool stalled = false;  ///< The same.
};

struct ReplayedTrace {
  std::string origin;
  std::string change;  ///< What the user changes, in words; empty: nothing.
  std::vector<ReplayedStep> steps;
  Seconds changed{};  ///< Mean step with the change; zero if there is none.
  Cycles cycles{};    ///< Of the step with the change, if any.
  Notes notes{};      ///< On what is changed.
  /// Median over the device work: how far its simulated start, counted from the end of the step
  /// before, lies from the recorded one.
  Seconds start_deviation{};
  Seconds host{};           ///< Mean over the steps: of the training thread, taken as recorded.
  Seconds other_threads{};  ///< The same of the threads it called.
  Seconds device{};         ///< Mean: of kernels and copies.
  Seconds collectives{};    ///< Mean: of collectives, as recorded.
  Seconds delays{};         ///< Mean: on the streams of the device, that no dependency explains.
};

/// Means over the whole steps that did not stall of what is taken from the trace.
ReplayedTrace replay_result(std::string origin, const std::vector<RecordedStep>& steps);

/// Throws InputError if the replay misses its own recording: the step, or the median start of
/// device work, by more than a tenth of a step.
void refuse_missed_recording(const ReplayedTrace& result);

/// A table of simulated against recorded step times, and what was taken as recorded.
std::string render_replay(const ReplayedTrace& result);
std::string replay_json(const ReplayedTrace& result);

}  // namespace stepcast
