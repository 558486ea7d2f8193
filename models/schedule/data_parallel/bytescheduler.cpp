#include "models/schedule/data_parallel/layer_updates.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

/// What the hook of a gradient takes on the compute stream. Where the cluster gives what it takes
/// on the host's, the fitted cost gives way to that.
Seconds hook_of(const OptionReader& read, const Software& software, Builder& builder) {
  const bool by_host = software.host_per_gradient > Seconds{};
  const bool replaced =
      by_host && read.is("hook", "cluster") && software.bytescheduler_hook > Seconds{};
  if (replaced)
    builder.note({NoteKind::Cluster, "hook",
                  "ByteScheduler's hooks take software.host_per_gradient, on the host's stream, in "
                  "place of software.bytescheduler_hook on the device's."});
  return read.time_or("hook", by_host ? Seconds{} : software.bytescheduler_hook);
}

// Gradients are cut into partitions; the partition of the layer nearest to the input goes first,
// because its forward pass comes first. A layer's next forward pass waits for its own all-reduces
// and nothing else: there is no barrier between two iterations.
//
// The credit is what has been handed to the communication library and cannot be overtaken any more.
// The library runs it on one NCCL stream, so collectives follow one another. With one GPU there is
// nothing to schedule and no cost.
Plan build_bytescheduler(const Workload& workload, const Cluster& cluster,
                         const OptionReader& read) {
  const Software& software = cluster.software;
  const Bytes partition = read.size("partition");
  const Seconds negotiation =
      read.time_or("negotiation", software.negotiation_per_request * cluster.ranks());
  Builder builder(read, workload, cluster);
  const Seconds hook = cluster.ranks() > 1 ? hook_of(read, software, builder) : Seconds{};
  const StreamId stream =
      builder.stream("all-reduce", ByPriority{.credit = read.size("credit"), .at_once = 1});
  const Algorithm algorithm = read.algorithm();
  const auto forward = gated_forward_pass(builder);
  const auto ready = backward_pass_with_hooks(builder, hook);
  for (const Gradient& piece : partitioned(gradients_in_ready_order(workload), partition)) {
    const TaskId reduced = builder.all_reduce(piece.name, piece.size,
                                              {.stream = stream,
                                               .algorithm = algorithm,
                                               .priority = static_cast<std::int32_t>(piece.layer),
                                               .overhead = negotiation,
                                               .after = {ready[piece.layer]}});
    builder.next_after(forward.updates[piece.layer], {reduced});
  }
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo bytescheduler_schedule() {
  return {
      .name = "bytescheduler",
      .summary = "partitions of gradients by priority of their layer, no global barrier",
      .source = "Peng et al., ByteScheduler, SOSP 2019",
      .options = {size_option("partition", "16MB", "largest piece of a gradient (4M fp32 elements)",
                              {.least = 1024}),
                  size_option("credit", "64MB",
                              "bytes handed over ahead of the wire; 0B: strict priority"),
                  time_option("negotiation", "cluster",
                              "time on the communication stream before each partition; cluster: "
                              "Horovod's, per request x ranks",
                              {}, {"cluster"}),
                  time_option("hook", "cluster",
                              "time on the compute stream for each gradient: the host does "
                              "not launch kernels meanwhile; cluster: its bytescheduler_hook, "
                              "nothing where its host_per_gradient takes the place",
                              {}, {"cluster"}),
                  algorithm_option()},
      .build = build_bytescheduler};
}

}  // namespace stepcast
