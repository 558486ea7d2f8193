#include "sim/cli/checks/whole_model.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

void require_whole_model(const Scenario& scenario, const char* command) {
  const Workload& workload = scenario.workload;
  if (workload.pipeline)
    throw InputError(fmt::format(
        "--workload {}: was recorded in {} stages: run, compare, plan, goodput and optimise know "
        "it, with a schedule that cuts the model, such as --schedule {}; {} does not",
        workload.name, workload.pipeline->stages, workload.pipeline->schedule, command));
}

}  // namespace stepcast
