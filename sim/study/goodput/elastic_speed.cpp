#include "sim/study/goodput/elastic_speed.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

Forecast forecast_with(const Scenario& scenario, std::uint32_t nodes, double link_share) {
  Settings settings = scenario.settings;
  settings.cluster["nodes"] = std::to_string(nodes);
  if (link_share < 1)
    settings.cluster["nic.bandwidth"] =
        fmt::format("{:.0f}bps", scenario.cluster.nic.bandwidth.value * 8 * link_share);
  const Scenario other = changed(scenario, std::move(settings));
  return simulated(other, other.schedules.front()).forecast;
}

}  // namespace

TrainingForecast training_forecast(const Scenario& scenario) {
  const std::uint32_t all = scenario.cluster.nodes;
  const Forecast whole = forecast_with(scenario, all, 1);
  TrainingForecast training{.samples_per_s = whole.throughput,
                            .gpus_per_node = scenario.cluster.gpus_per_node,
                            .step = whole.iteration_time};
  if (!scenario.engine.slow_down.empty()) {
    Scenario even = scenario;
    even.engine.slow_down = {};
    training.alone = forecast_with(even, all, 1).iteration_time / whole.iteration_time;
  }
  training.steps = std::make_shared<std::map<std::pair<std::uint32_t, double>, Seconds>>();
  const auto speeds = std::make_shared<std::map<std::pair<std::uint32_t, double>, double>>();
  (*speeds)[{all, 1.0}] = 1;
  training.speed = [scenario, speeds, steps = training.steps, full = whole.throughput](
                       std::uint32_t nodes, double share) {
    const auto [known, is_new] = speeds->try_emplace({nodes, share}, 0);
    if (!is_new)
      return known->second;
    Seconds& step = (*steps)[{nodes, share}];
    for (std::uint32_t used = nodes; used > 0 && step == Seconds{}; --used)
      try {
        const Forecast forecast = forecast_with(scenario, used, share);
        known->second = forecast.throughput / full;
        step = forecast.iteration_time;
      } catch (const InputError&) {  // one node less, then
      }
    return known->second;
  };
  return training;
}

}  // namespace stepcast
