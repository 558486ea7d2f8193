#include <algorithm>

#include <fmt/format.h>

#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Consecutive layers whose gradients are reduce-scattered, and parameters all-gathered, together.
struct FusionGroup {
  LayerId first = 0;
  LayerId last = 0;
  std::size_t layers_with_parameters = 0;
  Bytes size{};
};

using Closes = bool (*)(const FusionGroup& group, Bytes added, Bytes buffer, std::size_t nearby);

// Walks the layers in forward order; a layer is never split. Layers without parameters join
// whichever group is open.
std::vector<FusionGroup> fuse(const Workload& workload, Closes closes, Bytes buffer,
                              std::size_t nearby) {
  std::vector<FusionGroup> groups;
  for (LayerId layer = 0; layer < workload.layers.size(); ++layer) {
    const Bytes size = parameter_size(workload.layers[layer]);
    const bool full = !groups.empty() && size > Bytes{} && groups.back().size > Bytes{} &&
                      closes(groups.back(), size, buffer, nearby);
    if (groups.empty() || full)
      groups.push_back({.first = layer});
    FusionGroup& group = groups.back();
    group.last = layer;
    group.size += size;
    group.layers_with_parameters += size > Bytes{} ? 1 : 0;
  }
  return groups;
}

std::vector<FusionGroup> fusion_groups(const Workload& workload, const OptionReader& read) {
  const Bytes buffer = read.size("fusion_buffer");
  const std::size_t nearby = read.count("nearby_layers");
  if (read.is("fusion", "none"))
    return fuse(
        workload, [](const FusionGroup&, Bytes, Bytes, std::size_t) { return true; }, buffer,
        nearby);
  if (read.is("fusion", "nearby"))
    return fuse(
        workload,
        [](const FusionGroup& group, Bytes, Bytes, std::size_t layers) {
          return group.layers_with_parameters >= layers;
        },
        buffer, nearby);
  return fuse(
      workload,
      [](const FusionGroup& group, Bytes added, Bytes limit, std::size_t) {
        return group.size + added > limit;
      },
      buffer, nearby);
}

// DeAR decouples the all-reduce of a group into a reduce-scatter, which overlaps the backward pass,
// and an all-gather, which overlaps the next forward pass:
//   backward: when all gradients of a group are ready, its reduce-scatter is issued (last group
//   first); when all reduce-scatters are done, the all-gathers are issued in forward order; next
//   forward: group g is updated and entered when its all-gather is done.
Plan build_dear(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  const auto groups = fusion_groups(workload, read);
  const bool early = read.is("rs_start", "enqueue");
  Builder builder(read, workload, cluster);
  CommunicationOptions scatter{.stream = builder.stream("reduce-scatter"),
                               .algorithm = read.algorithm()};
  CommunicationOptions gather{.stream = builder.stream("all-gather"),
                              .algorithm = scatter.algorithm};

  std::vector<TaskId> updates;
  TaskId forward_end = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double share =
        groups.size() == 1 ? 1 : share_of_update(workload, groups[g].first, groups[g].last);
    updates.push_back(builder.update(fmt::format("update of group {}", g), {}, share));
    for (LayerId layer = groups[g].first; layer <= groups[g].last; ++layer)
      forward_end = builder.forward(layer);
  }
  const auto backward = backward_pass(builder);

  TaskId scattered =
      backward.front();  // reduce-scatters are first in, first out: the last ends last
  for (std::size_t g = groups.size(); g-- > 0;) {
    if (groups[g].size == Bytes{})
      continue;
    scatter.after = {early ? forward_end : backward[groups[g].first]};
    scattered = builder.reduce_scatter(fmt::format("group {}", g), groups[g].size, scatter);
  }
  gather.after = {scattered, backward.front()};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].size == Bytes{})
      continue;
    const TaskId gathered = builder.all_gather(fmt::format("group {}", g), groups[g].size, gather);
    builder.next_after(updates[g], {gathered});
  }
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo dear_schedule() {
  return {
      .name = "dear",
      .summary = "all-reduce decoupled: reduce-scatter overlaps backward, all-gather next forward",
      .source = "Zhang et al., DeAR, ICDCS 2023",
      .options = {choice_option(
                      "fusion", "buffer",
                      "which layers travel together: buffer, nearby, none, or bo (a buffer "
                      "found by ten trials of Bayesian optimisation)",
                      {"buffer", "none", "nearby", "bo"},
                      OptionSearch{.word = "bo", .option = "fusion_buffer", .found = "buffer"}),
                  size_option(
                      "fusion_buffer", "25MiB",
                      "fusion=buffer: a group stays within this size; fusion=bo: the first trial"),
                  count_option("nearby_layers", "4",
                               "fusion=nearby: layers with parameters in a group", {.least = 1}),
                  choice_option("rs_start", "gradient_ready",
                                "a reduce-scatter starts when its gradients are ready (paper), or "
                                "enqueue: when issued, as in the released code",
                                {"gradient_ready", "enqueue"}),
                  algorithm_option(CollectiveKind::ReduceScatter, "reduce-scatter and all-gather")},
      .build = build_dear};
}

}  // namespace stepcast
