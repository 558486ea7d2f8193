#include <algorithm>

#include <fmt/format.h>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/layer_units.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Sharded data parallelism in units of consecutive layers.
//   stage 1, 2: gradients are reduce-scattered during the backward pass, every rank updates its
//     shard, and the new parameters are all-gathered for the next forward pass: 2 (P-1)/P of the
//     parameters, as an all-reduce. With accumulation, stage 2 reduce-scatters in every pass, stage
//     1 in the last one only.
//   stage 3 (FSDP): parameters are all-gathered before the forward and again before the backward
//     pass of a unit and dropped behind it: 3 (P-1)/P, in every pass.
// A gather is issued when compute is `prefetch` units before the one that needs it; 0: when it gets
// there. All gradients are reduced before the update (the norm of all may be needed).
class ZeroPlan {
 public:
  ZeroPlan(const Workload& workload, const Cluster& cluster, const OptionReader& read)
      : builder_(read, workload, cluster),
        units_(layer_units(workload, read.size("unit"))),
        stage_(read.choice_of<std::uint32_t>("stage", {{"1", 1}, {"2", 2}, {"3", 3}})),
        prefetch_(read.count("prefetch")),
        passes_(read.count(kAccumulation)),
        scatter_{.stream = builder_.stream("reduce-scatter"), .algorithm = read.algorithm()},
        gather_{.stream = builder_.stream("all-gather"), .algorithm = scatter_.algorithm} {}

  Plan build() && {
    builder_.passes(passes_);
    for (std::uint32_t pass = 0; pass < passes_; ++pass) {
      for (std::size_t u = 0; u < units_.size(); ++u)
        forward(u, pass == 0 || stage_ == 3);
      for (std::size_t u = units_.size(); u-- > 0;)
        backward(u, pass + 1 == passes_ || stage_ >= 2);
    }
    const double ranks = builder_.cluster().ranks();
    const TaskId update = builder_.update("update", scattered_, 1 / ranks);
    for (const TaskId gather : first_gathers_)
      builder_.next_after(gather, {update});
    Plan plan = std::move(builder_).build();
    shard(plan.memory, ranks);
    return plan;
  }

 private:
  void forward(std::size_t u, bool gathers) {
    const TaskId gathered = gathers ? gather(u) : kNone;
    for (LayerId layer = units_[u].first; layer <= units_[u].last; ++layer)
      last_ = builder_.forward(layer, only(layer == units_[u].first ? gathered : kNone));
    ends_.push_back(last_);
  }

  void backward(std::size_t u, bool scatters) {
    const TaskId gathered = stage_ == 3 ? gather(u) : kNone;
    for (LayerId layer = units_[u].last + 1; layer-- > units_[u].first;)
      last_ = builder_.backward(layer, only(layer == units_[u].last ? gathered : kNone));
    ends_.push_back(last_);
    if (!scatters || units_[u].size == Bytes{})
      return;
    scatter_.after = {last_};
    scattered_.push_back(
        builder_.reduce_scatter(fmt::format("unit {}", u), units_[u].size, scatter_));
  }

  static std::vector<TaskId> only(TaskId task) {
    return task == kNone ? std::vector<TaskId>{} : std::vector{task};
  }

  // The gather before the next unit's compute; ends_ holds the units done before it.
  TaskId gather(std::size_t u) {
    if (units_[u].size == Bytes{})
      return kNone;
    const TaskId gathered = builder_.all_gather(fmt::format("unit {}", u), units_[u].size, gather_);
    if (ends_.size() > prefetch_)
      builder_.after(gathered, {ends_[ends_.size() - 1 - prefetch_]});
    else
      first_gathers_.push_back(gathered);
    return gathered;
  }

  // Each stage also shards what the stage before does. Gathered or reduced units are buffers: those
  // ahead, the one in use, the one being reduced.
  void shard(MemoryUse& use, double ranks) const {
    Bytes largest{};
    for (const LayerUnit& unit : units_)
      largest = std::max(largest, unit.size);
    use.fusion_buffers = largest * (stage_ == 3 ? prefetch_ + 2.0 : 1.0);
    use.optimiser = use.optimiser / ranks;
    if (stage_ >= 2)
      use.gradients = use.gradients / ranks;
    if (stage_ >= 3)
      use.parameters = use.parameters / ranks;
  }

  Builder builder_;
  std::vector<LayerUnit> units_;
  std::uint32_t stage_;
  std::uint32_t prefetch_;
  std::uint32_t passes_;
  CommunicationOptions scatter_;
  CommunicationOptions gather_;
  std::vector<TaskId> ends_;  // of the compute of each unit, in program order
  std::vector<TaskId> scattered_;
  std::vector<TaskId> first_gathers_;  // that wait for the update of the iteration before
  TaskId last_ = 0;
};

Plan build_zero(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return ZeroPlan(workload, cluster, read).build();
}

}  // namespace

ScheduleInfo zero_schedule() {
  return {.name = "zero",
          .summary =
              "sharded training state (ZeRO, FSDP): reduce-scatter gradients, all-gather "
              "parameters",
          .source = "Rajbhandari et al., ZeRO, SC 2020; Zhao et al., FSDP, VLDB 2023",
          .options =
              {choice_option("stage", "2",
                             "what is sharded: 1 optimiser state, 2 gradients too, 3 "
                             "parameters too (FSDP)",
                             {"1", "2", "3"}),
               count_option("prefetch", "1",
                            "units that parameters are gathered ahead; 0: when needed"),
               size_option("unit", "25MiB", "consecutive layers travel together up to this size"),
               count_option(kAccumulation, "1", "forward and backward passes in a step", kRepeats),
               algorithm_option(CollectiveKind::ReduceScatter, "reduce-scatter and all-gather")},
          .build = build_zero};
}

}  // namespace stepcast
