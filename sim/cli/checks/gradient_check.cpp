#include "sim/cli/checks/gradient_check.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

CommandOption without_gradients_option(bool& without_gradients) {
  return {"--without-gradients", "", &without_gradients,
          "compare schedules also for a workload without gradients, in\nwhich they have nothing to "
          "communicate"};
}

void check_gradients(const Scenario& scenario, std::size_t schedules, bool asked_for) {
  if (asked_for || schedules < 2 || scenario.cluster.ranks() < 2 ||
      parameter_count(scenario.workload) > 0)
    return;
  throw InputError(fmt::format(
      "{}: has no gradients, so that schedules have nothing to communicate and are all alike; "
      "expected gradients (stepcast import --architecture NAME gives a trace those of a network), "
      "or --without-gradients to compare all the same",
      scenario.workload.name));
}

void check_gradients(const Sweep& sweep, bool asked_for) {
  for (const Combination& combination : sweep.combinations)
    if (parameter_count(sweep.scenarios[combination.scenario].workload) == 0)
      check_gradients(scenario_of(sweep, combination), sweep.schedules[combination.scenario].size(),
                      asked_for);
}

}  // namespace stepcast
