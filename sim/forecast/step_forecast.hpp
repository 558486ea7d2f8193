#pragma once

#include <functional>
#include <string>

#include "sim/forecast/likely_range.hpp"
#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// What a training step of a schedule takes, without what a report says of where the time goes.
struct StepForecast {
  Seconds time{};
  LikelyStep likely;
  Notes notes;         ///< Those that need no further simulation.
  double samples = 0;  ///< That the step trains, of all workers whose gradients are used.
};

/// The steady step, or where chance decides the mean over seeds. `planned` is called before the
/// simulation of what has a plan; it may be empty. Throws as simulated().
StepForecast step_forecast(const Scenario& scenario, const std::string& schedule,
                           const std::function<void(const Plan&)>& planned = {});

}  // namespace stepcast
