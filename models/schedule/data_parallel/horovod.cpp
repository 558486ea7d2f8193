#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

DispatchRule rule_of(const Cluster& cluster, const OptionReader& read) {
  const Software& software = cluster.software;
  const Negotiated rule{
      .cycle = read.time_or("cycle", software.horovod_cycle),
      .per_cycle = read.time_or("negotiation_per_cycle", software.negotiation_per_cycle),
      .per_tensor = read.time_or("negotiation_per_tensor",
                                 software.negotiation_per_request * cluster.ranks()),
      .fusion = read.size_or("fusion_buffer", software.horovod_fusion)};
  // On one rank the optimiser sets no hooks, so nothing waits for a cycle.
  return cluster.ranks() == 1 ? DispatchRule{InOrder{}} : rule;
}

// One all-reduce a tensor; which of them travel together is decided at run time by the negotiation
// of the stream.
Plan build(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  const StreamId stream = builder.stream("all-reduce", rule_of(cluster, read));
  const Algorithm algorithm = read.algorithm();
  overlapped_step(builder, bucket_of_each(workload), {.stream = stream, .algorithm = algorithm});
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo horovod_schedule() {
  return {
      .name = "horovod",
      .summary =
          "Horovod: a background thread negotiates in cycles and fuses what is ready everywhere",
      .source = "Sergeev and Del Balso, Horovod, 2018; version 0.21.3",
      .options = {cluster_option("cycle",
                                 "pause between negotiations (HOROVOD_CYCLE_TIME), e.g. 1ms"),
                  cluster_option("fusion_buffer", "fusion threshold, e.g. 128MiB; 0B: no fusion",
                                 OptionKind::Size),
                  cluster_option("negotiation_per_cycle",
                                 "time of one negotiation over all ranks, e.g. 0.5ms"),
                  cluster_option("negotiation_per_tensor",
                                 "added for each tensor (response cache off), e.g. 0.3ms; cluster: "
                                 "per request x ranks"),
                  algorithm_option()},
      .build = build};
}

}  // namespace stepcast
