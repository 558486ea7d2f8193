#include "sim/forecast/time_alone.hpp"

#include <string>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

Seconds time_alone(const Workload& workload, const Cluster& cluster, const Plan& plan) {
  const std::uint32_t passes = plan.summary.passes;
  if (plan.host == kNone)
    return (forward_time(workload) + backward_time(workload)) * passes + workload.update;
  Workload fed = workload;
  fed.input = {};
  Cluster one = cluster;
  one.nodes = one.gpus_per_node = 1;
  one.rack.reset();
  const Plan alone =
      build_plan(sequential_schedule().name, fed, one, {{kAccumulation, std::to_string(passes)}});
  return simulate(alone, one, {.fidelity = Fidelity::Analytic}).mean_iteration_time();
}

}  // namespace stepcast
