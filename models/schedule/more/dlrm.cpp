#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

constexpr double kIndexBytes = 8;
constexpr double kRowStateBytes = 4;  // row-wise Adagrad

// What the tables of all ranks together hold, and what a rank moves in a step where a share `keep`
// of the dimensions is left (FIITED: chunks of vectors that do little are dropped in training).
struct Tables {
  double tables = 0;
  double rows = 0;  // of each
  double pooling = 0;
  double batch = 0;
  Bytes vector{};  // of a row, complete

  Bytes held(double keep) const { return vector * (tables * rows * keep); }
  Bytes state() const { return Bytes{kRowStateBytes * tables * rows}; }
  Bytes indices() const { return Bytes{kIndexBytes * batch * tables * pooling}; }
  Bytes looked_up(double keep) const { return vector * (batch * tables * pooling * keep); }
  Bytes pooled(double keep) const { return vector * (batch * tables * keep); }
};

// Embedding tables are cut over the ranks, the rest of the model is copied.
//   indices of a rank's samples go to the ranks of their tables (all-to-all), which look up and add
//     the rows of all samples; the pooled vectors go back (all-to-all)
//   layers from `bottom` on wait for them: those before are the bottom MLP
//   backward likewise: once layer `bottom` is done, gradients of the vectors go to the tables,
//     whose rows are read and written
//   gradients of the copied layers are all-reduced in buckets, each as soon as it is ready
// A value of `keep` is a step of the plan, which stands for as many steps as any other value.
class DlrmPlan {
 public:
  DlrmPlan(const Workload& workload, const Cluster& cluster, const OptionReader& read)
      : cluster_(cluster),
        builder_(read, workload, cluster),
        tables_{.tables = read.number("tables"),
                .rows = read.number("rows"),
                .pooling = read.number("pooling"),
                .batch = static_cast<double>(workload.batch),
                .vector = Bytes{read.number("dimension") * read.number("value_bytes")}},
        keep_(read.series("keep")),
        scan_every_(read.is("scan_every", "never") ? 0 : read.count("scan_every")),
        bottom_(std::min(read.count("bottom"), last_layer(workload))),
        ahead_(read.is("indices", "ahead")),
        exchange_{.stream = builder_.stream("all-to-all"), .phase = "embeddings"},
        reduce_{.stream = builder_.stream("all-reduce"), .algorithm = read.algorithm()},
        buckets_(buckets_of(workload, read)) {}

  Plan build() && {
    for (std::size_t i = 0; i < keep_.size(); ++i) {
      if (i > 0)
        builder_.end_step();
      add_step(keep_[i]);
    }
    builder_.next_after(first_, {last_});
    note_memory();
    Plan plan = std::move(builder_).build();
    const double ranks = cluster_.ranks();
    plan.memory.parameters += tables_.held(*std::ranges::max_element(keep_)) / ranks;
    plan.memory.optimiser += tables_.state() / ranks;
    return plan;
  }

 private:
  static std::uint32_t last_layer(const Workload& workload) {
    return static_cast<std::uint32_t>(workload.layers.size() - 1);
  }

  void add_step(double keep) {
    const TaskId indices = ahead_ ? last_ : exchange("indices", tables_.indices(), last_);
    const TaskId looked_up = touch("lookup", tables_.looked_up(keep), indices);
    if (first_ == kNone)
      first_ = ahead_ ? looked_up : indices;
    const TaskId vectors = exchange("vectors", tables_.pooled(keep), looked_up);
    const TaskId next_indices = ahead_ ? exchange("indices", tables_.indices(), looked_up) : kNone;
    const auto layers = static_cast<LayerId>(builder_.workload().layers.size());
    for (LayerId layer = 0; layer < layers; ++layer)
      builder_.forward(layer, layer == bottom_ ? std::vector{vectors} : std::vector<TaskId>{});
    std::vector<TaskId> backward(layers);
    for (LayerId layer = layers; layer-- > 0;)
      backward[layer] = builder_.backward(layer);
    std::vector<TaskId> reduced;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      reduce_.after = {backward[buckets_[i].last_ready]};
      reduced.push_back(builder_.all_reduce(label_of(buckets_[i], i), buckets_[i].size, reduce_));
    }
    const TaskId gradients = exchange("gradients", tables_.pooled(keep), backward[bottom_]);
    touch("rows", tables_.looked_up(keep) * 2.0, gradients);
    if (scan_every_ > 0)
      touch("scan", tables_.held(keep) * (2.0 / cluster_.ranks() / scan_every_), kNone);
    const TaskId update = builder_.update("update", reduced);
    last_ = ahead_ ? next_indices : update;
  }

  TaskId exchange(const char* what, Bytes size, TaskId after) {
    exchange_.after = only(after);
    return builder_.all_to_all(what, size, exchange_);
  }

  static std::vector<TaskId> only(TaskId task) {
    return task == kNone ? std::vector<TaskId>{} : std::vector{task};
  }

  // Bytes of tables that the device reads or writes.
  TaskId touch(const char* what, Bytes bytes, TaskId after) {
    const BytesPerSecond bandwidth = cluster_.device.memory_bandwidth;
    const Seconds time = bandwidth > BytesPerSecond{} ? bytes / bandwidth : Seconds{};
    return builder_.compute(what, time, {.phase = "tables", .after = only(after)});
  }

  void note_memory() {
    const Bytes whole = tables_.held(1) / cluster_.ranks();
    const double mean =
        std::accumulate(keep_.begin(), keep_.end(), 0.0) / static_cast<double>(keep_.size());
    const auto saved = [&](double keep) {
      return fmt::format("{} ({:.1f} % saved)", format_bytes(whole * keep), 100 * (1 - keep));
    };
    builder_.note({NoteKind::Memory, "tables",
                   fmt::format("Tables: {} a GPU where all is kept; {} in the mean of the steps, "
                               "{} at their end.",
                               format_bytes(whole), saved(mean), saved(keep_.back()))});
  }

  const Cluster& cluster_;
  Builder builder_;
  Tables tables_;
  std::vector<double> keep_;
  std::uint32_t scan_every_;
  LayerId bottom_;
  bool ahead_;
  CommunicationOptions exchange_;
  CommunicationOptions reduce_;
  std::vector<Bucket> buckets_;
  // What the first step waits with, and what it waits for of the last step so far: indices for its
  // update, or the lookup for the indices that were sent ahead.
  TaskId first_ = kNone;
  TaskId last_ = kNone;
};

Plan build_dlrm(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return DlrmPlan(workload, cluster, read).build();
}

std::vector<OptionInfo> dlrm_options() {
  constexpr OptionRange kSome{.least = 1, .most = 1e12};
  std::vector<OptionInfo> options{
      count_option("tables", "26", "embedding tables, cut evenly over the ranks",
                   {.least = 1, .most = 1'000'000}),
      number_option("rows", "1000000", "of each table", kSome),
      number_option("dimension", "64", "values of a row", kSome),
      number_option("value_bytes", "4", "of a value",
                    {.least = 0, .most = 16, .above_least = true}),
      number_option("pooling", "1", "rows that a sample looks up in each table and adds up", kSome),
      series_option("keep", "1",
                    "share of the dimensions that is left, one or, with colons, over the steps of "
                    "training (FIITED)",
                    {.least = 0, .most = 1, .above_least = true}),
      count_option("scan_every", "never",
                   "steps from one scan and re-hash of the tables to the next, whose time all of "
                   "them share",
                   {.least = 1, .most = 4'000'000}, {"never"}),
      count_option("bottom", "0", "first layers, which need no embeddings (the bottom MLP)"),
      choice_option("indices", "on-time",
                    "indices of a step are sent when it begins (on-time), or in the step before "
                    "(ahead)",
                    {"on-time", "ahead"}),
      algorithm_option()};
  std::ranges::move(bucket_options(), std::back_inserter(options));
  return options;
}

}  // namespace

ScheduleInfo dlrm_schedule() {
  return {.name = "dlrm",
          .summary =
              "recommender: embedding tables cut over the ranks, all-to-alls; other layers "
              "copied",
          .source = "Naumov et al., DLRM, 2019; Luo et al., FIITED, 2024 (keep)",
          .options = dlrm_options(),
          .build = build_dlrm,
          .more_work = true};
}

}  // namespace stepcast
