#include <utility>

#include <fmt/format.h>

#include "models/schedule/sparse/schedules.hpp"
#include "models/schedule/sparse/step.hpp"

namespace stepcast {
namespace {

using sparse::Step;
using sparse::Tensor;

/// Ranks that still hold a selection in each round: all, every second, every fourth, ..., one.
std::vector<GroupId> groups_by_round(Builder& builder) {
  const std::uint32_t ranks = builder.cluster().ranks();
  std::vector<GroupId> groups{0};
  for (std::uint32_t distance = 2; distance < 2 * ranks; distance *= 2) {
    std::vector<Rank> left;
    for (Rank rank = 0; rank < ranks; rank += distance)
      left.push_back(rank);
    groups.push_back(builder.group(std::move(left)));
  }
  return groups;
}

// In each of ceil(log2 n) rounds the odd one of two neighbours sends its 2k numbers to the even
// one, which adds them to its own and selects k again; the last one left has the global top-k and
// broadcasts it. A rank without a neighbour (n no power of two) keeps its selection for the next
// round. Time: 2 log2(n) a + 4 k log2(n) b for n a power of two.
TaskId reduce_and_broadcast(Step& step, const std::vector<GroupId>& groups, const Tensor& tensor,
                            TaskId ready) {
  const double entries = step.selected(tensor);
  const auto& encoding = step.settings().encoding;
  const Bytes message =
      size_of_values(encoding, entries) + size_of_indices(encoding, entries, tensor.elements);
  for (std::size_t round = 0; round + 1 < groups.size(); ++round) {
    const TaskId sent = step.send(fmt::format("round {} of {}", round, tensor.label), message,
                                  groups[round], ready);
    ready = step.work("re-selection", tensor, merge_time(step.costs(), entries), sent,
                      groups[round + 1]);
  }
  const TaskId received =
      step.broadcast(fmt::format("global top-k of {}", tensor.label), message, ready);
  return step.work("unpacking", tensor, scatter_add_time(step.costs(), entries, tensor.elements),
                   received);
}

Plan build(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Step step(workload, cluster, read, sparse::settings_of(read));
  const std::vector<GroupId> groups = groups_by_round(step.builder());
  step.pass(
      sparse::fused_tensors(workload, read),
      [&](const Tensor& tensor) { return step.compression_time(tensor); },
      [&](const Tensor& tensor, TaskId ready) {
        return reduce_and_broadcast(step, groups, tensor, ready);
      });
  return std::move(step).finish();
}

}  // namespace

ScheduleInfo gtopk_schedule() {
  return {.name = "gtopk",
          .summary = "global top-k: a tree of neighbours that merge and re-select, then broadcast",
          .source = "Shi et al., gTop-k S-SGD, ICDCS 2019",
          .options = sparse::with_common_options({}, {.density = "0.001", .fusion = "model"}),
          .build = build,
          .compressed = true};
}

}  // namespace stepcast
