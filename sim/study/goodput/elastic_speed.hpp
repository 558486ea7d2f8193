#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/forecast/scenario.hpp"
#include "sim/study/goodput/job_life.hpp"

namespace stepcast {

/// A job whose steps are forecast at each size that a run of it comes to.
struct TrainingForecast {
  double samples_per_s = 0;  ///< With all nodes, with its slow-downs.
  double alone = 1;          ///< Step without slow-downs over the step with them.
  std::uint32_t gpus_per_node = 1;
  Seconds step{};
  JobSpeed speed{};
  /// What was forecast: nodes and share of a link's bandwidth, and the step; filled as it goes.
  std::shared_ptr<std::map<std::pair<std::uint32_t, double>, Seconds>> steps{};
};

/// The scenario's first schedule on all nodes now, on fewer or with a slow link when they are asked
/// for, each size once: the forecast with that many nodes, or with the NICs of that share of their
/// bandwidth, as a ring is as fast as its slowest link. The batch follows the scenario: that of a
/// GPU stays, or a global batch is divided anew. A size that the schedule refuses, because a
/// layout or a batch cannot be divided so, is forecast as the largest smaller one; the other nodes
/// idle.
/// Throws as forecasts do for all nodes.
TrainingForecast training_forecast(const Scenario& scenario);

}  // namespace stepcast
