#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Mini-batches of a graph are made by the host while the device trains on those made before:
//   sample (one of `workers` threads) -> slice (the same thread, or one for all) -> copy -> train
// A mini-batch has one of `queue` places from its sampling until it is copied, and one of `buffers`
// on the device from its copy until it is trained on. So with W workers, Q places and B buffers the
// step takes the longest of
//   sample / W (with the slice, where workers slice), slice, copy, train,
//   (sample + slice + copy) / Q and (copy + train) / B,
// where train has what is left of the all-reduces: every cycle of the pipeline, over the
// mini-batches in it. The plan has a step for each worker.
class SalientPlan {
 public:
  SalientPlan(const Workload& workload, const Cluster& cluster, const OptionReader& read)
      : builder_(read, workload, cluster),
        workers_(read.count("workers")),
        queue_(read.count("queue")),
        buffers_(read.count("buffers")),
        sample_(read.time("sample")),
        slice_(read.time("slice")),
        copy_(read.time("copy")),
        batch_(read.size("batch_bytes")),
        own_slicer_(read.is("slicing", "thread")),
        reduce_{.stream = builder_.stream("all-reduce"), .algorithm = read.algorithm()},
        buckets_(buckets_of(workload, read)) {
    if (own_slicer_)
      slicing_ = builder_.stream("slicing");
    copying_ = builder_.stream("copies");
    for (std::uint32_t worker = 0; worker < workers_; ++worker)
      sampling_.push_back(builder_.stream(fmt::format("sampling {}", worker)));
  }

  Plan build() && {
    for (std::uint32_t step = 0; step < workers_; ++step) {
      if (step > 0)
        builder_.end_step();
      add_step(step);
    }
    for (std::uint32_t step = 0; step < workers_; ++step) {
      wait_for_place(begun_, step, queue_, copied_);
      wait_for_place(copied_, step, buffers_, trained_);
    }
    builder_.note(
        {NoteKind::Memory, "queue",
         fmt::format("Mini-batches of {}: up to {} on the host of each GPU (queue), {} on the GPU.",
                     format_bytes(batch_), format_bytes(batch_ * queue_),
                     format_bytes(batch_ * buffers_))});
    Plan plan = std::move(builder_).build();
    plan.memory.fusion_buffers += batch_ * buffers_;
    // Of the streams beside compute one communicates.
    plan.memory.communication_buffers =
        plan.memory.communication_buffers / static_cast<double>(plan.streams.size() - 1);
    return plan;
  }

 private:
  void add_step(std::uint32_t worker) {
    begun_.push_back(stage("sampling", sample_, sampling_[worker], {}));
    const TaskId sliced =
        stage("slicing", slice_, own_slicer_ ? slicing_ : sampling_[worker], {begun_.back()});
    copied_.push_back(stage("copy", copy_, copying_, {sliced}));
    const auto layers = static_cast<LayerId>(builder_.workload().layers.size());
    for (LayerId layer = 0; layer < layers; ++layer)
      builder_.forward(layer, layer == 0 ? std::vector{copied_.back()} : std::vector<TaskId>{});
    const std::vector<TaskId> backward = backward_pass(builder_);
    std::vector<TaskId> reduced;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      reduce_.after = {backward[buckets_[i].last_ready]};
      reduced.push_back(builder_.all_reduce(label_of(buckets_[i], i), buckets_[i].size, reduce_));
    }
    trained_.push_back(builder_.update("update", reduced));
  }

  TaskId stage(const char* phase, Seconds time, StreamId stream, std::vector<TaskId> after) {
    return builder_.compute(phase, "mini-batch", time,
                            {.stream = stream, .after = std::move(after), .on_host = true});
  }

  // The mini-batch `places` before this one has left.
  void wait_for_place(const std::vector<TaskId>& enters, std::uint32_t step, std::uint32_t places,
                      const std::vector<TaskId>& leaves) {
    const std::uint32_t periods = step >= places ? 0 : (places - step + workers_ - 1) / workers_;
    const TaskId left = leaves[step + periods * workers_ - places];
    if (periods == 0)
      builder_.after(enters[step], {left});
    else if (periods == 1)
      builder_.next_after(enters[step], {left});
    else
      builder_.later_after(enters[step], left, periods);
  }

  Builder builder_;
  std::uint32_t workers_, queue_, buffers_;
  Seconds sample_, slice_, copy_;
  Bytes batch_;
  bool own_slicer_;
  CommunicationOptions reduce_;
  std::vector<Bucket> buckets_;
  StreamId slicing_ = 0, copying_ = 0;
  std::vector<StreamId> sampling_;                // by worker
  std::vector<TaskId> begun_, copied_, trained_;  // by step
};

Plan build_salient(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return SalientPlan(workload, cluster, read).build();
}

std::vector<OptionInfo> salient_options() {
  constexpr OptionRange kThreads{.least = 1, .most = 64};
  std::vector<OptionInfo> options{
      count_option("workers", "4", "threads that sample for a GPU", kThreads),
      count_option("queue", "8",
                   "mini-batches on the host at once, from their sampling to their copy", kRepeats),
      count_option("buffers", "2",
                   "mini-batches on the GPU at once, from their copy to their update", kRepeats),
      time_option("sample", "20ms", "neighbours of a mini-batch, one thread"),
      time_option("slice", "5ms", "gathering the features of its nodes, one thread"),
      time_option("copy", "5ms", "to the GPU"),
      size_option("batch_bytes", "100MiB", "features and edges of a mini-batch"),
      choice_option("slicing", "workers",
                    "who slices: the workers that sample (SALIENT), or one thread for all",
                    {"workers", "thread"}),
      algorithm_option()};
  std::ranges::move(bucket_options(), std::back_inserter(options));
  return options;
}

}  // namespace

ScheduleInfo salient_schedule() {
  return {.name = "salient",
          .summary = "graph networks: host threads sample mini-batches while the device trains",
          .source = "Kaler et al., SALIENT, MLSys 2022",
          .options = salient_options(),
          .build = build_salient,
          .more_work = true};
}

}  // namespace stepcast
