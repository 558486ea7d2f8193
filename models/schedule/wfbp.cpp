#include "models/schedule/wfbp.hpp"

#include "models/schedule/passes.hpp"

namespace stepcast {
namespace {

// start_l = max(end_{l+1}, ready_l): the all-reduces follow one another on one stream, each as soon
// as its gradient is ready.
Plan build(const Workload& workload, const Cluster& cluster, const ScheduleOptions& options) {
  const OptionReader read("wfbp", options);
  Builder builder("wfbp", workload, cluster);
  const StreamId stream = builder.stream("all-reduce");
  const Algorithm algorithm = read.algorithm("algorithm", CollectiveKind::AllReduce);
  forward_pass(builder);
  const auto backward = backward_pass(builder);
  const TaskId update = builder.update("update");
  for (const Gradient& gradient : gradients_in_ready_order(workload)) {
    const TaskId reduced = builder.all_reduce(gradient.name, gradient.size,
                                              {.stream = stream, .algorithm = algorithm});
    builder.after(reduced, {backward[gradient.layer]});
    builder.after(update, {reduced});
  }
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo wfbp_schedule() {
  return {
      .name = "wfbp",
      .summary = "wait-free back-propagation: every gradient is all-reduced by itself when ready",
      .source = "Zhang et al., Poseidon, USENIX ATC 2017",
      .options = {algorithm_option()},
      .build = build};
}

}  // namespace stepcast
