#include "sim/search/options/memory_fit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/period.hpp"
#include "sim/engine/steps.hpp"
#include "sim/jobs/edits/planned_step.hpp"

namespace stepcast {
namespace {

Seconds time_of(const Plan& plan, const Scenario& scenario) {
  return step_time_of(plan, scenario.cluster, scenario.engine);
}

Seconds time_with(const EditRequest& request, const FittedStep& fitted, const Scenario& scenario) {
  const EditableStep step =
      editable_step(fitted.plan, fitted.scenario.workload, scenario.cluster, scenario.engine);
  return step.time(edited(step.graphs, request, step)).step;
}

/// Fewest passes that fit; none: not even 64 do.
std::optional<FittedStep> accumulated(const Scenario& scenario, const std::string& schedule,
                                      Bytes budget) {
  constexpr std::uint32_t kMostPasses = 64;
  if (scenario.settings.schedule.contains(kAccumulation))
    return std::nullopt;
  for (std::uint32_t passes = 2; passes <= kMostPasses; passes *= 2) {
    if (scenario.workload.batch % passes != 0)
      return std::nullopt;
    Scenario divided = scenario;
    divided.workload = with_batch(scenario.workload, scenario.workload.batch / passes);
    divided.settings.schedule[kAccumulation] = std::to_string(passes);
    Plan plan = unrolled(planned(divided, schedule).plan);
    if (plan.memory.total() > budget)
      continue;
    std::string change =
        fmt::format("accumulation over {} passes of batch {}", passes, divided.workload.batch);
    return FittedStep{.scenario = std::move(divided),
                      .plan = std::move(plan),
                      .edits = {},
                      .change = std::move(change)};
  }
  return std::nullopt;
}

}  // namespace

Bytes recomputed_activations(const Workload& workload) {
  const std::size_t layers = workload.layers.size();
  const auto stretch = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
  Bytes kept{};
  Bytes largest{};
  for (std::size_t first = 0; first < layers; first += stretch) {
    const std::size_t last = std::min(layers, first + stretch) - 1;
    Bytes of_stretch{};
    for (std::size_t layer = first; layer <= last; ++layer)
      of_stretch += workload.layers[layer].activation;
    kept += workload.layers[last].activation;
    largest = std::max(largest, of_stretch);
  }
  return kept + largest;
}

FittedStep fitted_step(const Scenario& scenario, const std::string& schedule, Bytes budget) {
  FittedStep fitted{.scenario = scenario,
                    .plan = unrolled(planned(scenario, schedule).plan),
                    .edits = {},
                    .change = {}};
  fitted.before = fitted.after = fitted.plan.memory.total();
  if (!(budget > Bytes{}) || fitted.before <= budget)
    return fitted;
  fitted.step = time_of(fitted.plan, scenario);
  const Bytes recomputed =
      fitted.before - fitted.plan.memory.activations + recomputed_activations(scenario.workload);
  const EditRequest again = edit_request_of("recomputation", {});
  std::optional<FittedStep> smaller = accumulated(scenario, schedule, budget);
  if (smaller) {
    smaller->step = fitted.step;
    smaller->before = fitted.before;
    smaller->after = smaller->plan.memory.total();
  }
  if (recomputed <= budget &&
      (!smaller || time_with(again, fitted, scenario) <= time_of(smaller->plan, scenario))) {
    fitted.edits = {again};
    fitted.change = "recomputation in stretches of layers";
    fitted.after = recomputed;
    return fitted;
  }
  if (!smaller)
    throw InputError(fmt::format(
        "`memory`: {} is not enough: {} as it is, {} with recomputation, and no division of the "
        "batch fits",
        format_bytes(budget), format_bytes(fitted.before), format_bytes(recomputed)));
  return std::move(*smaller);
}

}  // namespace stepcast
