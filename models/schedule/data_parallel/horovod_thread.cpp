#include "models/schedule/data_parallel/horovod_thread.hpp"

namespace stepcast {

std::vector<OptionInfo> horovod_options(const char* run_ahead) {
  return {
      cluster_option("cycle", "pause between negotiations (HOROVOD_CYCLE_TIME), e.g. 1ms"),
      cluster_option("fusion_buffer", "fusion threshold, e.g. 128MiB; 0B: no fusion",
                     OptionKind::Size),
      choice_option("response_cache", "off",
                    "on: ranks agree by bits on tensors they know; off "
                    "(HOROVOD_CACHE_CAPACITY=0): every tensor is negotiated in every step",
                    {"on", "off"}),
      cluster_option("negotiation_per_cycle", "time of one negotiation over all ranks, e.g. 0.5ms"),
      cluster_option("negotiation_per_rank", "added to it for each rank, e.g. 0.1ms"),
      cluster_option("negotiation_per_tensor",
                     "added to it for each tensor, e.g. 0.3ms; cluster: per request x ranks "
                     "without response_cache, else nothing"),
      choice_option("run_ahead", run_ahead,
                    "when hosts announce tensors. off: at the GPU's pace, as they become ready, "
                    "which is all that a trace tells; on: the host issues the backward pass far "
                    "ahead, so that all are negotiated when it begins and each fused buffer waits "
                    "for its data",
                    {"on", "off"})};
}

Negotiated horovod_rule(const Cluster& cluster, const OptionReader& read) {
  const Software& software = cluster.software;
  const double ranks = cluster.ranks();
  const Seconds per_tensor =
      read.is("response_cache", "off") ? software.negotiation_per_request * ranks : Seconds{};
  return {.cycle = read.time_or("cycle", software.horovod_cycle),
          .per_cycle = read.time_or("negotiation_per_cycle", software.negotiation_per_cycle) +
                       read.time_or("negotiation_per_rank", software.negotiation_per_rank) * ranks,
          .per_tensor = read.time_or("negotiation_per_tensor", per_tensor),
          .fusion = read.size_or("fusion_buffer", software.horovod_fusion)};
}

}  // namespace stepcast
