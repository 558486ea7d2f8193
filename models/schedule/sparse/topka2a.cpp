#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/schedule/schedule_info.hpp"
#include "models/schedule/sparse/step.hpp"

namespace stepcast {
namespace {

using sparse::Step;
using sparse::Tensor;

/// 1.-3. of TopKA2A: each rank selects k/n in each of n equal shards of the tensor, sends every
/// other rank its shard's entries, and adds up what it receives for its own.
TaskId exchange_shards(Step& step, const Tensor& tensor, TaskId ready) {
  const std::uint32_t ranks = step.ranks();
  const double entries = sparse::shard_of(step.selected(tensor), ranks);
  const TaskId exchanged = step.all_to_all_entries(tensor, entries, ready);
  return step.work(
      "unpacking", tensor,
      scatter_add_time(step.costs(), entries * ranks, sparse::shard_of(tensor.elements, ranks)),
      exchanged);
}

TaskId gather_dense_shards(Step& step, const Tensor& tensor, TaskId ready) {
  const double shard = sparse::shard_of(tensor.elements, step.ranks());
  return step.all_gather(fmt::format("shards of {}", tensor.label),
                         sparse::dense_size(shard) * step.ranks(), ready);
}

// The sums of a shard as entries, where that is smaller than the dense shard.
TaskId gather_sums(Step& step, const Tensor& tensor, TaskId ready) {
  const std::uint32_t ranks = step.ranks();
  const double shard = sparse::shard_of(tensor.elements, ranks);
  const double entries = std::max(1.0, std::round(step.united(shard, ranks)));
  const auto& encoding = step.settings().encoding;
  if (size_of_values(encoding, entries) + size_of_indices(encoding, entries, shard) >=
      sparse::dense_size(shard))
    return gather_dense_shards(step, tensor, ready);
  const TaskId gathered = step.all_gather_entries(tensor, entries, ready);
  return step.work("unpacking", tensor,
                   scatter_add_time(step.costs(), entries * ranks, tensor.elements), gathered);
}

using Gather = TaskId (*)(Step& step, const Tensor& tensor, TaskId ready);

Plan plan_of(const Workload& workload, const Cluster& cluster, const OptionReader& read,
             Gather gather) {
  Step step(workload, cluster, read, sparse::settings_of(read));
  step.pass(
      sparse::fused_tensors(workload, read),
      [&](const Tensor& tensor) { return step.compression_time(tensor); },
      [&](const Tensor& tensor, TaskId ready) {
        return gather(step, tensor, exchange_shards(step, tensor, ready));
      });
  return std::move(step).finish();
}

// 4. All-gather of the dense shards, without a second selection. Time on a ring and by pairs:
// 3(n-1) a + (2k + d)(n-1)/n b. Communication is at most 2d / (2k + d) times as fast as dense.
Plan build_topka2a(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return plan_of(workload, cluster, read, gather_dense_shards);
}

// SparCML's split all-gather: the sums of a shard stay sparse while that pays. Volume from
// 4k(n-1)/n (all select the same) to (2k + d)(n-1)/n.
Plan build_topk_dsa(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return plan_of(workload, cluster, read, gather_sums);
}

}  // namespace

ScheduleInfo topka2a_schedule() {
  return sparse::system_of(
      "topka2a", "top-k by shards: all-to-all of the selections, dense all-gather of the sums",
      "Peng, Li, Shi, Li, TopKA2A, ICPP 2024", sparse::with_common_options({}, {}), build_topka2a);
}

ScheduleInfo topk_dsa_schedule() {
  return sparse::system_of(
      "topk-dsa", "as topka2a, but the sums are gathered as entries while that is less",
      "Renggli et al., SparCML, SC 2019", sparse::with_common_options({}, {}), build_topk_dsa);
}

}  // namespace stepcast
