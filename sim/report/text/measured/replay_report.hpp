#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// A recorded step, as it was simulated.
struct ReplayedStep {
  std::string name;
  Seconds recorded{};
  Seconds simulated{};
};

/// A step in the long run, see ReplayedTimes: one alone may leave its work to the next.
struct SustainedStep {
  Seconds time{};
  Seconds host{};     ///< The host's threads are busy.
  Seconds busiest{};  ///< The busiest stream of the device is busy.
};

struct ReplayedTrace {
  std::string origin;
  std::string change;  ///< What the user changes, in words; empty: nothing.
  std::vector<ReplayedStep> steps;
  SustainedStep sustained{};         ///< Without the change.
  SustainedStep changed{};           ///< With it; zero if there is none.
  std::vector<std::string> notes{};  ///< On what is changed.
  /// Median over the device work: how far its simulated start, counted from the start of the step,
  /// lies from the recorded one.
  Seconds start_deviation{};
  Seconds host{};           ///< Mean over the steps: of the training thread, taken as recorded.
  Seconds other_threads{};  ///< The same of the threads it called.
  Seconds device{};         ///< Mean: of kernels and copies.
  Seconds collectives{};    ///< Mean: of collectives, as recorded.
};

/// Means over the steps of what is taken from the trace.
ReplayedTrace replay_result(std::string origin, const std::vector<RecordedStep>& steps);

Seconds mean_recorded(const ReplayedTrace& result);
Seconds mean_simulated(const ReplayedTrace& result);

/// A table of simulated against recorded step times, and what was taken as recorded.
std::string render_replay(const ReplayedTrace& result);
std::string replay_json(const ReplayedTrace& result);

}  // namespace stepcast
