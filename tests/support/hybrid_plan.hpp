#pragma once
// A training step of tensor, pipeline and data parallelism, written by hand with the Builder.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/network/layout.hpp"
#include "models/schedule/builder.hpp"
#include "tests/support/examples.hpp"

namespace stepcast::examples {

struct HybridShape {
  std::uint32_t tensor = 8;
  std::uint32_t pipeline = 16;
  std::uint32_t data = 8;
  std::uint32_t layers = 96;
  std::uint32_t micro_batches = 64;

  std::uint32_t ranks() const { return tensor * pipeline * data; }
};

/// 1F1B (PipeDream-flush). Every layer is two computations forward and two backward, each followed
/// by an all-reduce over its tensor group in line with them; activations and their gradients go
/// from stage to stage, and each layer's gradients are summed over its data group once, after the
/// last micro-batch.
class HybridPlan {
 public:
  HybridPlan(const Workload& workload, const Cluster& cluster, const HybridShape& shape)
      : shape_(shape),
        layout_(cluster, {{Axis::Tensor, shape.tensor},
                          {Axis::Data, shape.data},
                          {Axis::Pipeline, shape.pipeline}}),
        builder_("hybrid", workload, cluster) {
    for (const char* name : {"forward even", "forward odd", "backward even", "backward odd"})
      sends_.push_back(builder_.stream(name));
    gradients_ = builder_.stream("gradients");
    make_teams();
    forward_.resize(shape.pipeline, std::vector<TaskId>(shape.micro_batches, kNone));
    backward_ = forward_;
    first_forward_ = first_backward_ = forward_;
  }

  Plan build() && {
    for (std::uint32_t stage = 0; stage < shape_.pipeline; ++stage)
      add_stage(stage);
    for (std::uint32_t stage = 0; stage + 1 < shape_.pipeline; ++stage)
      for (std::uint32_t batch = 0; batch < shape_.micro_batches; ++batch)
        add_sends(stage, batch);
    return std::move(builder_).build();
  }

 private:
  void make_teams() {
    for (std::uint32_t stage = 0; stage < shape_.pipeline; ++stage) {
      tensor_.push_back(builder_.team(layout_.along(Axis::Tensor).at(Axis::Pipeline, stage)));
      data_.push_back(builder_.team(layout_.along(Axis::Data).at(Axis::Pipeline, stage)));
      if (stage + 1 < shape_.pipeline)
        ahead_.push_back(builder_.team(layout_.shift(Axis::Pipeline, 1).at(Axis::Pipeline, stage)));
      if (stage > 0)
        back_.push_back(builder_.team(layout_.shift(Axis::Pipeline, -1).at(Axis::Pipeline, stage)));
    }
  }

  // Warm-up, then one forward and one backward in turn, then the rest.
  void add_stage(std::uint32_t stage) {
    const std::uint32_t ahead = std::min(shape_.pipeline - 1 - stage, shape_.micro_batches);
    for (std::uint32_t batch = 0; batch < ahead; ++batch)
      add_pass(stage, batch, true);
    for (std::uint32_t batch = 0; batch < shape_.micro_batches; ++batch) {
      if (batch + ahead < shape_.micro_batches)
        add_pass(stage, batch + ahead, true);
      add_pass(stage, batch, false);
    }
    const TaskId update = builder_.compute("update", Seconds{1e-4}, {.team = data_[stage]});
    builder_.after(update, reduced_);
    reduced_.clear();
  }

  void add_pass(std::uint32_t stage, std::uint32_t batch, bool forward) {
    const std::uint32_t layers = shape_.layers / shape_.pipeline;
    const bool last = !forward && batch + 1 == shape_.micro_batches;
    TaskId end = kNone;
    for (std::uint32_t half = 0; half < 2 * layers; ++half) {
      const Seconds time{forward ? 1e-4 : 2e-4};
      const TaskId begin = builder_.compute(forward ? "F" : "B", time, {.team = tensor_[stage]});
      if (half == 0)
        (forward ? first_forward_ : first_backward_)[stage][batch] = begin;
      end = builder_.all_reduce("T", Bytes{1e6}, {.stream = 0, .team = tensor_[stage]});
      if (last && half % 2 == 1)
        add_gradients(stage, end);
    }
    (forward ? forward_ : backward_)[stage][batch] = end;
  }

  void add_gradients(std::uint32_t stage, TaskId ready) {
    reduced_.push_back(
        builder_.all_reduce("gradients", Bytes{4e6}, {.stream = gradients_, .team = data_[stage]}));
    builder_.after(reduced_.back(), {ready});
  }

  // Rendezvous: a stage sends on another stream than it receives on.
  void add_sends(std::uint32_t stage, std::uint32_t batch) {
    const Bytes size{5e5};
    const TaskId ahead =
        builder_.send("ahead", size, {.stream = sends_[stage % 2], .team = ahead_[stage]});
    builder_.after(ahead, {forward_[stage][batch]});
    builder_.after(first_forward_[stage + 1][batch], {ahead});
    const TaskId back =
        builder_.send("back", size, {.stream = sends_[2 + stage % 2], .team = back_[stage]});
    builder_.after(back, {backward_[stage + 1][batch]});
    builder_.after(first_backward_[stage][batch], {back});
  }

  HybridShape shape_;
  Layout layout_;
  Builder builder_;
  std::vector<StreamId> sends_;
  StreamId gradients_ = 0;
  std::vector<TeamId> tensor_, data_, ahead_, back_;     // by stage
  std::vector<std::vector<TaskId>> forward_, backward_;  // last tasks, by stage and micro-batch
  std::vector<std::vector<TaskId>> first_forward_, first_backward_;
  std::vector<TaskId> reduced_;
};

/// 100 Gb/s NICs, one for each eight GPUs.
inline Cluster hybrid_cluster(const HybridShape& shape) {
  Cluster cluster = plain_cluster(shape.ranks() / 8, 8);
  cluster.intra_node = {BytesPerSecond{2e11}, Seconds{5e-6}};
  cluster.nic = {BytesPerSecond{1.25e10}, Seconds{1e-5}};
  return cluster;
}

inline Plan hybrid_plan(const Cluster& cluster, const HybridShape& shape) {
  const Workload workload = uniform_workload(1, {1e-3}, {1e-3}, 1);
  return HybridPlan(workload, cluster, shape).build();
}

/// `ranks` programs of their own: `tasks` computations each, and an all-reduce of all ranks after
/// every `between` of them.
inline Plan recorded_plan(const Cluster& cluster, std::uint32_t tasks, std::uint32_t between) {
  const Workload workload = uniform_workload(1, {1e-3}, {1e-3}, 1);
  Builder builder("recorded", workload, cluster);
  const StreamId stream = builder.stream("all-reduce");
  std::vector<TaskId> sums;
  for (std::uint32_t i = 0; i < tasks / between; ++i)
    sums.push_back(builder.all_reduce("sum", Bytes{1e5}, {.stream = stream}));
  for (Rank rank = 0; rank < cluster.ranks(); ++rank) {
    const TeamId team = builder.group({rank});
    for (std::uint32_t i = 0; i < tasks; ++i) {
      const Seconds time{1e-6 * (10 + (i * 7 + rank * 13) % 5)};
      const TaskId task = builder.compute("kernel", time, {.team = team});
      if (i % between == 0 && i >= between)
        builder.after(task, {sums[i / between - 1]});
      if (i % between == between - 1)
        builder.after(sums[i / between], {task});
    }
  }
  return std::move(builder).build();
}

}  // namespace stepcast::examples
