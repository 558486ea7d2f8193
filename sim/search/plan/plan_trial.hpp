#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"
#include "sim/search/plan/plan_bound.hpp"

namespace stepcast {

/// A way to run the job, as `run` would be told.
struct PlanTrial {
  std::uint32_t site = 0;
  std::uint32_t schedule = 0;
  ScheduleOptions options;

  bool operator==(const PlanTrial&) const = default;
};

/// What came of a trial: nothing if a signal asked to stop before it was its turn.
struct TrialResult {
  std::optional<Forecast> forecast;
  std::string refusal;  ///< Why there is none.

  bool is_missing() const { return !forecast && refusal.empty(); }
};

/// Returns the number that an option is given as, such as "tp"; 1 where it is not given.
std::uint32_t count_in(const ScheduleOptions& options, const char* name);

PlanTrial trial_of(const PlanSpace& space, const PlanCandidate& candidate);

/// Forecasts on all cores, in the order of the trials, the same for any number of workers. Those
/// that the schedule refuses have a reason in place of a forecast. `finished`: after each.
std::vector<TrialResult> run_trials(const PlanSpace& space, const std::vector<PlanTrial>& trials,
                                    std::uint32_t workers, const std::function<void()>& finished);

/// What a GPU holds of a trial, worked out without a simulation. Throws InputError for one that the
/// schedule refuses.
Bytes memory_needed(const PlanSpace& space, const PlanTrial& trial);

/// What simulating a trial may take; nothing of one that the schedule refuses.
CostEstimate cost_of(const PlanSpace& space, const PlanTrial& trial);

/// Bounds of candidates in the same way.
std::vector<PlanBound> find_bounds(const PlanSpace& space, std::uint32_t workers);

/// Seconds of a sample.
double sample_time(const Forecast& forecast);

/// "tp=8,pp=4,dp=2"; of a schedule that does not cut the model "dp=64".
std::string layout_text(const PlanSpace& space, const PlanTrial& trial);

/// Of the model's arithmetic over the GPUs' peak, where it is a transformer; else against as many
/// GPUs that need not communicate.
double utilisation_of(const PlanSpace& space, const PlanTrial& trial, const Forecast& forecast);

}  // namespace stepcast
