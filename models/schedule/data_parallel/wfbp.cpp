#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// start_l = max(end_{l+1}, ready_l): the all-reduces follow one another on one stream, each as soon
// as its gradient is ready.
Plan build_wfbp(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  const StreamId stream = builder.stream("all-reduce");
  const Algorithm algorithm = read.algorithm();
  overlapped_step(builder, bucket_of_each(workload), {.stream = stream, .algorithm = algorithm});
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo wfbp_schedule() {
  return {
      .name = "wfbp",
      .summary = "wait-free back-propagation: every gradient is all-reduced by itself when ready",
      .source = "Zhang et al., Poseidon, USENIX ATC 2017",
      .options = {algorithm_option()},
      .build = build_wfbp};
}

}  // namespace stepcast
