#include "models/schedule/data_parallel/zero.hpp"

#include <fmt/format.h>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/layer_units.hpp"
#include "models/schedule/passes.hpp"

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
      : builder_("zero", workload, cluster),
        units_(layer_units(workload, read.size("unit"))),
        stage_(read.count("stage", 1)),
        prefetch_(read.count("prefetch", 0)),
        passes_(read.repeats(kAccumulation)),
        scatter_{.stream = builder_.stream("reduce-scatter"),
                 .algorithm = read.algorithm("algorithm", CollectiveKind::ReduceScatter)},
        gather_{.stream = builder_.stream("all-gather"), .algorithm = scatter_.algorithm} {}

  Plan build() && {
    for (std::uint32_t pass = 0; pass < passes_; ++pass) {
      for (std::size_t u = 0; u < units_.size(); ++u)
        forward(u, pass == 0 || stage_ == 3);
      for (std::size_t u = units_.size(); u-- > 0;)
        backward(u, pass + 1 == passes_ || stage_ >= 2);
    }
    const TaskId update = builder_.update("update");
    builder_.after(update, scattered_);
    for (const TaskId gather : first_gathers_)
      builder_.next_after(gather, {update});
    return std::move(builder_).build();
  }

 private:
  void forward(std::size_t u, bool gathers) {
    const TaskId gathered = gathers ? gather(u) : kNone;
    for (LayerId layer = units_[u].first; layer <= units_[u].last; ++layer)
      append(builder_.forward(layer), layer == units_[u].first ? gathered : kNone);
    ends_.push_back(last_);
  }

  void backward(std::size_t u, bool scatters) {
    const TaskId gathered = stage_ == 3 ? gather(u) : kNone;
    for (LayerId layer = units_[u].last + 1; layer-- > units_[u].first;)
      append(builder_.backward(layer), layer == units_[u].last ? gathered : kNone);
    ends_.push_back(last_);
    if (!scatters || units_[u].size == Bytes{})
      return;
    scattered_.push_back(
        builder_.reduce_scatter(fmt::format("unit {}", u), units_[u].size, scatter_));
    builder_.after(scattered_.back(), {last_});
  }

  void append(TaskId compute, TaskId gathered) {
    if (gathered != kNone)
      builder_.after(compute, {gathered});
    last_ = compute;
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

Plan build(const Workload& workload, const Cluster& cluster, const ScheduleOptions& options) {
  const OptionReader read("zero", options);
  read.choice("stage", {"1", "2", "3"});
  return ZeroPlan(workload, cluster, read).build();
}

}  // namespace

ScheduleInfo zero_schedule() {
  return {.name = "zero",
          .summary =
              "sharded training state (ZeRO, FSDP): reduce-scatter gradients, all-gather "
              "parameters",
          .source = "Rajbhandari et al., ZeRO, SC 2020; Zhao et al., FSDP, VLDB 2023",
          .options = {{.name = "stage",
                       .default_value = "2",
                       .meaning = "what is sharded: 1 optimiser state, 2 gradients too, 3 "
                                  "parameters too (FSDP)"},
                      {.name = "prefetch",
                       .default_value = "1",
                       .meaning = "units that parameters are gathered ahead; 0: when needed"},
                      {.name = "unit",
                       .default_value = "25MiB",
                       .meaning = "consecutive layers travel together up to this size"},
                      {.name = kAccumulation,
                       .default_value = "1",
                       .meaning = "forward and backward passes in a step"},
                      algorithm_option("reduce-scatter and all-gather")},
          .build = build};
}

}  // namespace stepcast
