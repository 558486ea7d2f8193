#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Gradients in ready order; a bucket closes when it has reached its limit. The first one is small,
// so that communication starts early.
std::vector<Bucket> fill_buckets(const Workload& workload, Bytes first_limit, Bytes limit) {
  std::vector<Bucket> buckets;
  bool open = false;
  for (Gradient& gradient : gradients_in_ready_order(workload)) {
    if (!open)
      buckets.emplace_back();
    Bucket& bucket = buckets.back();
    bucket.size += gradient.size;
    bucket.last_ready = gradient.layer;
    bucket.gradients.push_back(std::move(gradient));
    open = bucket.size < (buckets.size() == 1 ? first_limit : limit);
  }
  return buckets;
}

Plan build_ddp(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  const StreamId stream = builder.stream("all-reduce");
  const Algorithm algorithm = read.algorithm();
  const auto buckets = fill_buckets(workload, read.size("first_bucket"), read.size("bucket"));
  overlapped_step(builder, buckets, {.stream = stream, .algorithm = algorithm});
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo ddp_schedule() {
  return {
      .name = "ddp",
      .summary = "PyTorch DistributedDataParallel: buckets of gradients, all-reduced in order",
      .source = "Li et al., PyTorch Distributed, VLDB 2020",
      .options = {size_option("bucket", "25MiB", "a bucket closes at this size (bucket_cap_mb)"),
                  size_option("first_bucket", "1MiB", "the same for the first bucket"),
                  algorithm_option()},
      .build = build_ddp};
}

}  // namespace stepcast
