#include "models/schedule/data_parallel/horovod_thread.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// On one rank the optimiser sets no hooks, so nothing waits for a cycle.
DispatchRule rule_of(const Cluster& cluster, const OptionReader& read) {
  return cluster.ranks() == 1 ? DispatchRule{InOrder{}} : horovod_rule(cluster, read);
}

// One all-reduce a tensor; which of them travel together is decided at run time by the negotiation
// of the stream.
Plan build_horovod(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  CommunicationOptions options{.stream = builder.stream("all-reduce", rule_of(cluster, read)),
                               .algorithm = read.algorithm()};
  const TaskId forward_end = forward_pass(builder).back();
  const auto backward = backward_pass(builder);
  const TaskId update = builder.update();
  for (const Gradient& gradient : gradients_in_ready_order(workload)) {
    options.after = {backward[gradient.layer]};
    const TaskId reduced = builder.all_reduce(gradient.name, gradient.size, options);
    builder.after(update, {reduced});
    if (host_runs_ahead(read) && cluster.ranks() > 1)
      builder.announce(reduced, forward_end);
  }
  return std::move(builder).build();
}

std::vector<OptionInfo> options() {
  std::vector<OptionInfo> options = horovod_options();
  options.push_back(algorithm_option());
  return options;
}

}  // namespace

ScheduleInfo horovod_schedule() {
  return {
      .name = "horovod",
      .summary =
          "Horovod: a background thread negotiates in cycles and fuses what is ready everywhere",
      .source = "Sergeev and Del Balso, Horovod, 2018; versions 0.19 to 0.21",
      .options = options(),
      .build = build_horovod};
}

}  // namespace stepcast
