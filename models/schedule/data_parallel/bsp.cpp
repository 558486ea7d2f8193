#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

Plan build_bsp(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  builder.stream("all-reduce");
  forward_pass(builder);
  const auto backward = backward_pass(builder);
  const TaskId update = builder.update();
  if (const Bytes size = parameter_size(workload); size > Bytes{}) {
    const TaskId reduced = builder.all_reduce(
        "all gradients", size, {.algorithm = read.algorithm(), .after = {backward.front()}});
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
          .build = build_bsp,
          .sequential = true};
}

}  // namespace stepcast
