#include <utility>

#include "models/schedule/data_parallel/overlapped_step.hpp"
#include "models/schedule/merge_plan.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// When each gradient is ready, from the begin of the backward pass.
std::vector<Mergeable> mergeable(const Workload& workload, const std::vector<Gradient>& gradients) {
  std::vector<Seconds> done(workload.layers.size());
  Seconds time{};
  for (auto layer = static_cast<LayerId>(done.size()); layer-- > 0;)
    done[layer] = time += workload.layers[layer].backward;
  std::vector<Mergeable> result;
  for (const Gradient& gradient : gradients)
    result.push_back({done[gradient.layer], gradient.elements, gradient.size});
  return result;
}

std::vector<Bucket> merge(const Workload& workload, const LinearCost& cost, MergeRule rule) {
  std::vector<Gradient> gradients = gradients_in_ready_order(workload);
  std::vector<Bucket> buckets;
  auto next = gradients.begin();
  for (const std::size_t members : merged_groups(mergeable(workload, gradients), cost, rule)) {
    Bucket& bucket = buckets.emplace_back();
    for (std::size_t i = 0; i < members; ++i, ++next) {
      bucket.size += next->size;
      bucket.last_ready = next->layer;
      bucket.gradients.push_back(std::move(*next));
    }
  }
  return buckets;
}

LinearCost cost_for(const Cluster& cluster, const OptionReader& read, Algorithm algorithm) {
  const Collective collective{.kind = CollectiveKind::AllReduce, .algorithm = algorithm};
  LinearCost cost = linear_cost_of(collective, world_of(cluster), cluster);
  cost.startup = read.time_or("startup", cost.startup);
  if (!read.is("time_per_byte", "cluster"))
    cost.bandwidth = Bytes{1} / read.time("time_per_byte");
  return cost;
}

// WFBP with gradients merged where that saves more than it delays; which ones is decided before the
// run, from the times of the backward pass and the line t = startup + size / bandwidth of the
// cluster's all-reduce.
Plan build_merged(const Workload& workload, const Cluster& cluster, const OptionReader& read,
                  MergeRule rule, const DispatchRule& dispatch) {
  Builder builder(read, workload, cluster);
  const StreamId stream = builder.stream("all-reduce", dispatch);
  const Algorithm algorithm = read.algorithm();
  const auto buckets = merge(workload, cost_for(cluster, read, algorithm), rule);
  overlapped_step(builder, buckets, {.stream = stream, .algorithm = algorithm});
  return std::move(builder).build();
}

Plan build_mg(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return build_merged(workload, cluster, read, MergeRule::StartupSaved, InOrder{});
}

Plan build_asc(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return build_merged(
      workload, cluster, read, MergeRule::NetworkIsBusy,
      ByPriority{.credit = parameter_size(workload) * 2.0, .at_once = 2});  // in ready order
}

std::vector<OptionInfo> merge_options() {
  return {time_option("startup", "cluster",
                      "start-up of an all-reduce that the merge rule counts with, e.g. 1.4ms; "
                      "cluster: launch plus closed form",
                      {}, {"cluster"}),
          time_option("time_per_byte", "cluster",
                      "time for each byte that the merge rule counts with, e.g. 0.96ns, above 0; "
                      "cluster: closed form, without overlap.communication_slowdown",
                      {.above_least = true}, {"cluster"}),
          algorithm_option()};
}

}  // namespace

ScheduleInfo mg_wfbp_schedule() {
  return {.name = "mg-wfbp",
          .summary = "merged-gradient WFBP: gradients join where that saves more than it delays",
          .source = "Shi, Chu and Li, MG-WFBP, INFOCOM 2019",
          .options = merge_options(),
          .build = build_mg};
}

ScheduleInfo asc_wfbp_schedule() {
  return {.name = "asc-wfbp",
          .summary = "as mg-wfbp, with two all-reduces at once",
          .source = "Shi, Chu and Li, Exploiting Simultaneous Communications, INFOCOM 2021",
          .options = merge_options(),
          .build = build_asc};
}

}  // namespace stepcast
