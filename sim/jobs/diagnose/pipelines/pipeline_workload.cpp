// What passes take is in the record. A size is the trace's, the job file's, or the one that takes
// the recorded time of one transfer on the network that the job was recorded on, times the number
// of them. Which it was is counted by purpose, for the notes.
#include "sim/jobs/diagnose/pipelines/pipeline_workload.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/passes/orders.hpp"
#include "sim/jobs/diagnose/pipelines/pipeline_record.hpp"
#include "sim/jobs/diagnose/pipelines/recorded_cluster.hpp"
#include "sim/jobs/diagnose/pipelines/transfer_size.hpp"

namespace stepcast {
namespace {

constexpr double kElement = 4;  // Bytes of a gradient, as of fp32: assumed.

/// The layout that was recorded. Throws InputError for one of which the job file says too little.
ParallelLayout layout_of(const Job& job) {
  std::uint32_t data = std::max(1U, job.places / job.stages);
  for (const JobRank& rank : job.ranks)
    data = job.places > 0 ? data : std::max(data, rank.data + 1);
  ParallelLayout layout{.tensor = std::max(job.shape.tensor, 1U),
                        .context = std::max(job.shape.context, 1U),
                        .data = std::max(job.shape.data, data),
                        .pipeline = job.stages};
  if (layout.ranks() != job.gpus)
    throw InputError(fmt::format(
        "{}: expected tp and cp in the job file whose product with dp x "
        "pp, {} x {}, is the number of GPUs, {}; found {} x {}",
        job.name, layout.data, layout.pipeline, job.gpus, layout.tensor, layout.context));
  return layout;
}

class Sizes {
 public:
  explicit Sizes(const Job& job) : job_(job) {
    if (!job.shape.recorded_on.empty())
      cluster_ = recorded_cluster(job);
  }

  /// Of a stage's transfers of a kind, in all, which the job file calls `key`.
  Bytes size(const RecordedTransfers& of, const char* key, double told, CollectiveKind kind,
             const Team& team, std::uint32_t stage) {
    if (of.count == 0)
      return {};
    if (of.bytes)
      return take("as recorded", key, *of.bytes);
    if (told > 0)
      return take("as the job file says", key, Bytes{told});
    if (team.group_size() == 1)
      throw InputError(fmt::format(
          "{}: expected {} of stage {} in the job file: of one copy nothing is sent, so "
          "that the recorded {} tell no size",
          job_.name, key, stage, format_seconds(of.time)));
    if (!cluster_)
      throw InputError(
          fmt::format("{}: expected {} of stage {} in the job file, which these traces "
                      "do not hold, or recorded_on, the cluster whose network takes "
                      "the recorded {}",
                      job_.name, key, stage, format_seconds(of.time)));
    try {
      return take(fmt::format("those that take the recorded time on {} GPUs of {}",
                              cluster_->ranks(), cluster_->name),
                  key, transfer_size(kind, team, of.time, *cluster_) * of.count);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{}: recorded_on: {} of stage {}: {}", job_.name, key, stage, error.what()));
    }
  }

  /// A number for each stage, or one for all.
  double told(const std::vector<double>& sizes, const char* key, std::uint32_t stage) const {
    if (sizes.size() > 1 && sizes.size() != job_.stages)
      throw InputError(fmt::format("{}: expected {} of each of {} stages in the job file, found {}",
                                   job_.name, key, job_.stages, sizes.size()));
    return sizes.empty() ? 0 : sizes.size() == 1 ? sizes.front() : sizes[stage];
  }

  /// Of the sum of a number over all ranks, what the message does not take.
  Seconds beside_message(Seconds norm) const {
    if (!cluster_)
      return norm;
    const Team all{.groups = {world_of(*cluster_)}};
    const Seconds message = transfer_time(CollectiveKind::AllReduce, all, Bytes{4}, *cluster_);
    return std::max(Seconds{}, norm - message);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& [how, keys] : taken_)
      notes.push_back(fmt::format("sizes ({}): {}", fmt::join(keys, ", "), how));
    return notes;
  }

 private:
  Bytes take(const std::string& how, const char* key, Bytes size) {
    std::vector<std::string>& keys = taken_[how];
    if (std::ranges::find(keys, key) == keys.end())
      keys.emplace_back(key);
    return size;
  }

  const Job& job_;
  std::optional<Cluster> cluster_;
  std::map<std::string, std::vector<std::string>> taken_;
};

class PipelineSummary {
 public:
  PipelineSummary(const Job& job, bool ideal)
      : job_(job),
        ideal_(ideal),
        layout_(layout_of(job)),
        record_(pipeline_record_of(job, ideal)),
        sizes_(job) {}

  Workload run() {
    Workload workload{.name = job_.name + (ideal_ ? "-ideal" : "-recorded"),
                      .model = job_.name,
                      .device = "recorded"};
    for (std::size_t part = 0; part < record_.forward.size(); ++part)
      workload.layers.push_back({.name = fmt::format("part {}", part),
                                 .kind = "Recorded",
                                 .forward = record_.forward[part],
                                 .backward = record_.backward[part]});
    workload.pipeline = pipeline();
    workload.pipeline->parts.resize(workload.layers.size());
    for (std::uint32_t stage = 0; stage < job_.stages; ++stage)
      add_stage(stage, workload);
    add_tied(*workload.pipeline);
    workload.provenance = provenance();
    return workload;
  }

 private:
  RecordedPipeline pipeline() const {
    const bool several = record_.forward.size() > job_.stages;
    if (several && !record_.alternates)
      throw InputError(fmt::format(
          "{}: expected one chunk of a rank (vpp = 1), or an order in which forward and "
          "backward passes alternate, found all forward passes of {} chunks first",
          job_.name, record_.forward.size() / job_.stages));
    RecordedPipeline of{.stages = job_.stages,
                        .micro_batches = job_.shape.micro_batches,
                        .copies = layout_.data * layout_.context,
                        .tensor = layout_.tensor,
                        .context = layout_.context,
                        .schedule = recorded_order(several, record_.alternates),
                        .norm = std::nullopt};
    if (record_.norm)
      of.norm = sizes_.beside_message(*record_.norm);
    of.shares_optimiser = std::ranges::any_of(record_.stages, [](const StageRecord& stage) {
      return stage.parameters.count > 0 || stage.sums.scatters;
    });
    return of;
  }

  // A stage's parts are alike in all but their passes.
  void add_stage(std::uint32_t stage, Workload& workload) {
    const StageRecord& record = record_.stages[stage];
    const JobSizes& told = job_.shape.sizes;
    const Team copies = copies_team(layout_, stage);
    const auto parts = static_cast<double>(workload.layers.size()) / job_.stages;
    const Bytes gradients = sizes_.size(
        record.sums, "gradient_bytes", sizes_.told(told.gradients, "gradient_bytes", stage),
        record.sums.scatters ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce, copies,
        stage);
    const Bytes parameters = sizes_.size(record.parameters, "parameter_bytes",
                                         sizes_.told(told.parameters, "parameter_bytes", stage),
                                         CollectiveKind::AllGather, copies, stage);
    const Bytes message = message_of(stage);
    const auto gradient = static_cast<std::uint64_t>(gradients.value / parts / kElement + 0.5);
    for (std::size_t part = stage; part < workload.layers.size(); part += job_.stages) {
      Layer& layer = workload.layers[part];
      layer.activation = message;
      if (gradient > 0)
        layer.parameters.push_back({.name = "gradients", .elements = gradient});
      workload.pipeline->parts[part] = {.gathered = parameters / parts,
                                        .update = record.update / parts,
                                        .before_sums = record.before_sums / parts,
                                        .once = record.once / parts};
    }
  }

  // Of several parts on a rank the last stage's send to the first.
  Bytes message_of(std::uint32_t stage) {
    const bool several = record_.forward.size() > job_.stages;
    const std::uint32_t from = several && stage + 1 == job_.stages ? 0 : stage;
    RecordedTransfers message = record_.stages[from].message;
    if (message.count == 0)
      return {};
    if (several) {
      if (message.bytes)
        *message.bytes = *message.bytes / message.count;
      message.count = 1;
    }
    return sizes_.size(message, "message_bytes", job_.shape.sizes.message, CollectiveKind::Send,
                       stage_pairs(layout_, from, from + 1), stage);
  }

  void add_tied(RecordedPipeline& pipeline) {
    pipeline.tied =
        sizes_.size(record_.tied, "tied_bytes", job_.shape.sizes.tied, CollectiveKind::AllReduce,
                    stage_pairs(layout_, 0, job_.stages - 1), 0);
  }

  Provenance provenance() const {
    Provenance of{.kind = ProvenanceKind::Derived,
                  .source = fmt::format("job {}, {} ranks, {} steps", job_.name, job_.ranks.size(),
                                        job_.steps.size()),
                  .method = ideal_ ? "every pass takes the mean of its kind, no delays"
                                   : "mean over ranks, steps and micro-batches",
                  .notes = sizes_.notes()};
    of.notes.emplace_back("a sample is a micro-batch; assumed: a gradient has 4 bytes");
    std::ranges::move(notes_of(record_), std::back_inserter(of.notes));
    return of;
  }

  const Job& job_;
  bool ideal_;
  ParallelLayout layout_;
  PipelineRecord record_;
  Sizes sizes_;
};

}  // namespace

Workload pipeline_workload_of(const Job& job, bool ideal) {
  return PipelineSummary(job, ideal).run();
}

}  // namespace stepcast
