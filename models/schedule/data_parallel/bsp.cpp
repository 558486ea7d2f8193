#include "models/schedule/data_parallel/bsp.hpp"

#include "models/schedule/passes.hpp"

namespace stepcast {
namespace {

Plan build(const Workload& workload, const Cluster& cluster, const ScheduleOptions& options) {
  const OptionReader read("bsp", options);
  Builder builder("bsp", workload, cluster);
  builder.stream("all-reduce");
  forward_pass(builder);
  const auto backward = backward_pass(builder);
  const TaskId update = builder.update("update");
  if (const Bytes size = parameter_size(workload); size > Bytes{}) {
    const TaskId reduced =
        builder.all_reduce("all gradients", size,
                           {.algorithm = read.algorithm("algorithm", CollectiveKind::AllReduce)});
    builder.after(reduced, {backward.front()});
    builder.after(update, {reduced});
  }
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo bsp_schedule() {
  return {.name = "bsp",
          .summary = "forward, backward, one fused all-reduce of all gradients, update: no overlap",
          .source = "Valiant, A bridging model for parallel computation, CACM 1990",
          .options = {algorithm_option()},
          .build = build};
}

}  // namespace stepcast
