#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// What tells a stalled step: how long it took, and how long its device computed (of several ranks,
/// the one that computed longest).
struct StepPace {
  Seconds length{};
  Seconds computing{};
};

/// By step, whether it stalled: it took more than 1.5 times as long as the lower quartile of all,
/// or a gap parts it from the usual steps, and the device computed less than half of what it took
/// longer. The gap is wider than a tenth of the lower quartile and than three times the range of
/// the steps below it. The step's data, its host or another rank was late then. None is told where
/// fewer than two steps, or than a quarter, are usual ones.
std::vector<bool> find_stalled(std::span<const StepPace> steps);

/// Usual and stalled steps of a recording.
struct RecordedPace {
  std::size_t usual_steps = 0;
  std::size_t stalled_steps = 0;
  Seconds usual{};     ///< Mean of the usual steps.
  Seconds stalled{};   ///< Mean of the stalled ones,
  Seconds shortest{};  ///< and how far they lie
  Seconds longest{};   ///< apart.
  Seconds all{};       ///< Mean of all steps.
};

/// Precondition: as many lengths as flags.
RecordedPace pace_of(std::span<const Seconds> lengths, const std::vector<bool>& stalled);

/// Returns the usual and the stalled ones among the whole steps of a recording.
template <class Steps, class Length>
RecordedPace pace_in(const Steps& steps, Length length) {
  std::vector<Seconds> lengths;
  std::vector<bool> stalled;
  for (const auto& step : steps)
    if (step.whole) {
      lengths.push_back(step.*length);
      stalled.push_back(step.stalled);
    }
  return pace_of(lengths, stalled);
}

/// "14 of 29 steps stall ..", in whole sentences; empty: none does.
std::string describe(const RecordedPace& pace);

}  // namespace stepcast
