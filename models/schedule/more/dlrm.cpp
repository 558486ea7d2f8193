#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/more/row_use.hpp"
#include "models/schedule/more/thresholds.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

constexpr double kIndexBytes = 8;
constexpr double kRowStateBytes = 4;  // row-wise Adagrad, of each row or kept chunk
constexpr double kChunkIndexBytes = 4;
constexpr double kUtilityBytes = 4;
constexpr double kCountBytes = 4;
constexpr double kBitsOfByte = 8;

/// The share of the tables that is left, of the looked-up bytes that are still read, and of pooled
/// vectors that is still sent, where training drops what does little (FIITED).
struct Kept {
  double memory = 1;
  double lookups = 1;
  double pooled = 1;
};

// What the tables of all ranks together hold, and what a rank moves in a step.
struct Tables {
  double tables = 0;
  double rows = 0;  // of each
  double pooling = 0;
  double batch = 0;
  Bytes vector{};               // of a row, complete
  std::uint32_t chunks = 1;     // of a vector
  double chunk_decay = 0;       // of their utilities
  bool chunk_masks = false;     // chunks of pooled vectors that are zero are not sent
  std::optional<RowUse> use{};  // none: all rows are used alike, and lose dimensions alike

  Kept kept(double keep) const {
    if (!use)
      return {keep, keep, keep};
    const KeptChunks left = kept_chunks(*use, keep, chunks, chunk_decay);
    const double mask = chunks / kBitsOfByte / vector.value;
    return {keep, left.mean_lookups(), chunk_masks ? left.pooled(pooling) + mask : 1};
  }

  Bytes whole() const { return vector * (tables * rows); }
  // An index to find a chunk and its utility take 4 bytes each, whether it is kept or not.
  Bytes bookkeeping() const {
    return use ? Bytes{(kChunkIndexBytes + kUtilityBytes) * tables * rows * chunks} : Bytes{};
  }
  Bytes held(double keep) const { return vector * (tables * rows * keep) + bookkeeping(); }
  Bytes state(double keep) const {
    return Bytes{kRowStateBytes * tables * rows} * (use ? keep * chunks : 1);
  }
  // A scan reads utilities and writes indices, or else reads and writes all that is held.
  Bytes scanned(double keep) const { return use ? bookkeeping() : held(keep) * 2.0; }
  Bytes indices() const { return Bytes{kIndexBytes * batch * tables * pooling}; }
  Bytes looked_up(const Kept& kept) const {
    return vector * (batch * tables * pooling * kept.lookups);
  }
  Bytes pooled(const Kept& kept) const { return vector * (batch * tables * kept.pooled); }
};

// Embedding tables are cut over the ranks, the rest of the model is copied.
//   indices of a rank's samples go to the ranks of their tables (all-to-all), which look up and add
//     the rows of all samples; the pooled vectors go back (all-to-all)
//   layers from `bottom` on wait for them: those before are the bottom MLP
//   backward likewise: once layer `bottom` is done, gradients of the vectors go to the tables,
//     whose rows are read and written
//   gradients of the copied layers are all-reduced in buckets, each as soon as it is ready
// With thresholds (DCT) entries are selected before a message and added to zeros behind it; counts
// go ahead of vectors, as their lengths are known only then; gradients go to servers, one a rank.
// A value of `keep` is a step of the plan, which stands for as many steps as any other value.
class DlrmPlan {
 public:
  DlrmPlan(const Workload& workload, const Cluster& cluster, const OptionReader& read)
      : cluster_(cluster),
        builder_(read, workload, cluster),
        tables_(tables_of(workload, read)),
        thresholds_(workload, read),
        value_{read.number("value_bytes")},
        keep_(read.series("keep")),
        scan_every_(read.is("scan_every", "never") ? 0 : read.count("scan_every")),
        bottom_(std::min(read.count("bottom"), last_layer(workload))),
        ahead_(read.is("indices", "ahead")),
        exchange_{.stream = builder_.stream("all-to-all"), .phase = "embeddings"},
        reduce_{.stream = builder_.stream("all-reduce"), .algorithm = read.algorithm()},
        buckets_(buckets_of(workload, read)) {
    if (is_filtered())
      unpacking_ = builder_.stream("unpacking");
  }

  Plan build() && {
    for (std::size_t i = 0; i < keep_.size(); ++i) {
      if (i > 0)
        builder_.end_step();
      add_step(keep_[i]);
    }
    builder_.next_after(first_, {last_});
    note_memory();
    if (is_filtered())
      builder_.note(thresholds_.note(buckets_, value_, cluster_.ranks()));
    Plan plan = std::move(builder_).build();
    const double ranks = cluster_.ranks();
    const double most = *std::ranges::max_element(keep_);
    plan.memory.parameters += tables_.held(most) / ranks;
    plan.memory.optimiser += tables_.state(most) / ranks;
    plan.memory.residuals += thresholds_.residuals();
    return plan;
  }

 private:
  static std::optional<RowUse> use_of(double rows, const OptionReader& read) try {
    if (read.is("skew", "none"))
      return std::nullopt;
    return row_use_of(rows, read.text("skew"));
  } catch (const InputError& error) {
    read.fail("skew", error.what());
  }

  static Tables tables_of(const Workload& workload, const OptionReader& read) {
    return {.tables = read.number("tables"),
            .rows = read.number("rows"),
            .pooling = read.number("pooling"),
            .batch = static_cast<double>(workload.batch),
            .vector = Bytes{read.number("dimension") * read.number("value_bytes")},
            .chunks = read.count("chunks"),
            .chunk_decay = read.number("chunk_decay"),
            .chunk_masks = read.is("chunk_masks", "yes"),
            .use = use_of(read.number("rows"), read)};
  }

  static std::uint32_t last_layer(const Workload& workload) {
    return static_cast<std::uint32_t>(workload.layers.size() - 1);
  }

  bool is_filtered() const { return thresholds_.on_gradients() || thresholds_.on_vectors(); }

  void add_step(double keep) {
    const Kept kept = tables_.kept(keep);
    const TaskId indices = ahead_ ? last_ : exchange("indices", tables_.indices(), last_);
    const TaskId looked_up = touch("lookup", tables_.looked_up(kept), indices);
    if (first_ == kNone)
      first_ = ahead_ ? looked_up : indices;
    const TaskId vectors = send_vectors(kept, looked_up);
    const TaskId next_indices = ahead_ ? exchange("indices", tables_.indices(), looked_up) : kNone;
    const auto layers = static_cast<LayerId>(builder_.workload().layers.size());
    for (LayerId layer = 0; layer < layers; ++layer)
      builder_.forward(layer, layer == bottom_ ? std::vector{vectors} : std::vector<TaskId>{});
    const Backward backward = add_backward(layers);
    std::vector<TaskId> reduced;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      reduced.push_back(add_up(buckets_[i], label_of(buckets_[i], i), backward.ready[i]));
    const TaskId gradients = send_vector_gradients(kept, backward.bottom);
    touch("rows", tables_.looked_up(kept) * 2.0, gradients);
    if (scan_every_ > 0)
      touch("scan", tables_.scanned(keep) * (1.0 / cluster_.ranks() / scan_every_), kNone);
    const TaskId update = builder_.update("update", reduced);
    last_ = ahead_ ? next_indices : update;
  }

  struct Backward {
    TaskId bottom = kNone;      // of the layer that takes the vectors
    std::vector<TaskId> ready;  // after which each bucket can be sent
  };

  Backward add_backward(LayerId layers) {
    Backward backward;
    for (LayerId layer = layers; layer-- > 0;) {
      const TaskId task = builder_.backward(layer);
      if (layer == bottom_)
        backward.bottom = task;
      while (backward.ready.size() < buckets_.size() &&
             buckets_[backward.ready.size()].last_ready == layer)
        backward.ready.push_back(select(buckets_[backward.ready.size()], task));
    }
    return backward;
  }

  TaskId select(const Bucket& bucket, TaskId backward) {
    if (!thresholds_.on_gradients())
      return backward;
    return builder_.compute("compression", bucket.gradients.front().name,
                            thresholds_.selecting(bucket));
  }

  // Gradients of a bucket, summed over the ranks and back on all of them.
  TaskId add_up(const Bucket& bucket, const std::string& label, TaskId ready) {
    reduce_.after = {ready};
    if (!thresholds_.on_gradients())
      return builder_.all_reduce(label, bucket.size, reduce_);
    const std::uint32_t ranks = cluster_.ranks();
    CommunicationOptions options{.stream = reduce_.stream, .after = {ready}};
    double elements = 0;
    for (const Gradient& gradient : bucket.gradients)
      elements += static_cast<double>(gradient.elements);
    const TaskId pushed =
        builder_.all_to_all("push of " + label, thresholds_.pushed(bucket), options);
    options.after = {unpack(label, thresholds_.entries(bucket), elements / ranks, pushed)};
    return builder_.all_gather("pull of " + label, thresholds_.pulled(bucket, ranks), options);
  }

  TaskId send_vectors(const Kept& kept, TaskId looked_up) {
    if (!thresholds_.on_vectors())
      return exchange("vectors", tables_.pooled(kept), looked_up);
    const Bytes whole = tables_.pooled(kept);
    return send_entries("vectors", whole, thresholds_.of_vectors(value_, cluster_.ranks()),
                        thresholds_.selecting(whole / value_), looked_up);
  }

  TaskId send_vector_gradients(const Kept& kept, TaskId backward) {
    const Bytes whole = tables_.pooled(kept);
    if (!thresholds_.on_vectors())
      return exchange("gradients", whole, backward);
    return send_entries("gradients", whole,
                        thresholds_.of_vector_gradients(value_, cluster_.ranks()),
                        thresholds_.selecting_vector_gradients(whole / value_), backward);
  }

  // A part of the bytes of dense values.
  TaskId send_entries(const std::string& what, Bytes whole, double part, Seconds selecting,
                      TaskId after) {
    const TaskId selected =
        builder_.compute("compression", what, selecting, {.after = only(after)});
    const TaskId counts =
        exchange("counts of " + what, Bytes{kCountBytes * cluster_.ranks()}, selected);
    const double elements = whole / value_;
    return unpack(what, elements * thresholds_.vector_density(), elements,
                  exchange(what, whole * part, counts));
  }

  TaskId unpack(const std::string& what, double entries, double elements, TaskId after) {
    return builder_.compute("unpacking", what, thresholds_.unpacking(entries, elements),
                            {.stream = unpacking_, .after = {after}});
  }

  TaskId exchange(const std::string& what, Bytes size, TaskId after) {
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
    const Bytes whole = tables_.whole() / cluster_.ranks();
    const double mean =
        std::accumulate(keep_.begin(), keep_.end(), 0.0) / static_cast<double>(keep_.size());
    const auto saved = [&](double keep) {
      const double part = tables_.use ? tables_.held(keep) / tables_.whole() : keep;
      return fmt::format("{} ({:.1f} % {})", format_bytes(whole * part), 100 * std::abs(1 - part),
                         part > 1 ? "more" : "saved");
    };
    std::string text = fmt::format(
        "Tables: {} a GPU where all is kept; {} in the mean of the steps, {} at their end.",
        format_bytes(whole), saved(mean), saved(keep_.back()));
    if (tables_.use)
      text += fmt::format(
          " That is with indices and utilities of chunks. At the end {:.1f} % of the looked-up "
          "bytes are still read.",
          100 * tables_.kept(keep_.back()).lookups);
    builder_.note({NoteKind::Memory, "tables", text});
  }

  const Cluster& cluster_;
  Builder builder_;
  Tables tables_;
  Thresholds thresholds_;
  Bytes value_{};
  std::vector<double> keep_;
  std::uint32_t scan_every_;
  LayerId bottom_;
  bool ahead_;
  CommunicationOptions exchange_;
  CommunicationOptions reduce_;
  StreamId unpacking_ = 0;
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
      text_option("skew", "none",
                  "how unequally rows are used: Zipf's exponent, such as 1.05, or counts of "
                  "lookups, @FILE; keep then drops what is used least; none: dimensions of all",
                  {"none"}),
      count_option("chunks", "1", "skew: parts of a vector that are kept or dropped",
                   {.least = 1, .most = 1024}),
      number_option("chunk_decay", "0",
                    "skew: utility of chunk j = 1, 2, ... of a row: its use times j^-chunk_decay",
                    {.least = 0, .most = 10}),
      choice_option("chunk_masks", "no",
                    "skew: yes: chunks of pooled vectors that are zero are not sent",
                    {"no", "yes"}),
      algorithm_option()};
  std::ranges::move(Thresholds::options(), std::back_inserter(options));
  std::ranges::move(bucket_options(), std::back_inserter(options));
  return options;
}

}  // namespace

ScheduleInfo dlrm_schedule() {
  return {.name = "dlrm",
          .summary =
              "recommender: embedding tables cut over the ranks, all-to-alls; other layers "
              "copied",
          .source =
              "Naumov et al., DLRM, 2019; Luo et al., FIITED, 2024 (keep); Gupta et al., "
              "Dynamic Communication Thresholding, KDD 2021 (densities)",
          .options = dlrm_options(),
          .build = build_dlrm,
          .more_work = true};
}

}  // namespace stepcast
