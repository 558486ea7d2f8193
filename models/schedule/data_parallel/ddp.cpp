#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

Plan build_ddp(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  const StreamId stream = builder.stream("all-reduce");
  const Algorithm algorithm = read.algorithm();
  overlapped_step(builder, buckets_of(workload, read), {.stream = stream, .algorithm = algorithm});
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo ddp_schedule() {
  std::vector<OptionInfo> options = bucket_options();
  options.push_back(algorithm_option());
  return {.name = "ddp",
          .summary = "PyTorch DistributedDataParallel: buckets of gradients, all-reduced in order",
          .source = "Li et al., PyTorch Distributed, VLDB 2020",
          .options = std::move(options),
          .build = build_ddp};
}

}  // namespace stepcast
