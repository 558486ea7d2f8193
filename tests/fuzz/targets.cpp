#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <string>

#include "models/base/error.hpp"

namespace stepcast::fuzz {

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {
      {"architecture", accepts_architecture},
      {"benchmark_log", accepts_benchmark_log},
      {"blocks", accepts_blocks},
      {"cases", accepts_cases},
      {"chakra", accepts_chakra},
      {"chance", accepts_chance},
      {"cluster", accepts_cluster},
      {"collectives", accepts_collectives},
      {"command_line", accepts_command_line},
      {"compression_costs", accepts_compression_costs},
      {"ddp_logging", accepts_ddp_logging},
      {"device", accepts_device},
      {"espresso", accepts_espresso},
      {"execution_trace", accepts_execution_trace},
      {"experiment", accepts_experiment},
      {"faults", accepts_faults},
      {"goal", accepts_goal},
      {"hardware", accepts_hardware},
      {"horovod_timeline", accepts_horovod_timeline},
      {"import", accepts_import},
      {"job", accepts_job},
      {"job_timelines", accepts_job_timelines},
      {"kfac_costs", accepts_kfac_costs},
      {"kineto", accepts_kineto},
      {"layout", accepts_layout},
      {"measurements", accepts_measurements},
      {"operations_csv", accepts_operations_csv},
      {"order", accepts_order},
      {"pipedream", accepts_pipedream},
      {"plan", accepts_plan},
      {"results", accepts_results},
      {"resume", accepts_resume},
      {"settings", accepts_settings},
      {"simulate", accepts_simulate},
      {"transformer", accepts_transformer},
      {"workload", accepts_workload},
  };
  return kTargets;
}

const Target& target_of(std::string_view name) {
  const auto found = std::ranges::find(targets(), name,
                                       [](const Target& t) -> std::string_view { return t.name; });
  if (found == targets().end()) {
    throw InputError("no fuzz target is called " + std::string(name));
  }
  return *found;
}

}  // namespace stepcast::fuzz
