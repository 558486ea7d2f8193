#pragma once
// What a step of model parallelism is, worked out from its options: the layout, the order of its
// passes, the units of the model and which stage holds which.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/schedule/memory_use.hpp"
#include "models/schedule/model_parallel/message_codec.hpp"
#include "models/schedule/model_parallel/model_units.hpp"
#include "models/schedule/model_parallel/order_walk.hpp"
#include "models/schedule/model_parallel/pipeline_order.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

struct HybridJob {
  ParallelLayout layout;
  UnitSettings settings;
  PipelineOrder order;
  std::vector<ModelUnit> units;
  std::vector<std::size_t> first_unit;  ///< Of each part, and the end of the last.
  std::vector<Recompute> recompute;     ///< By stage.
  std::uint32_t micro_batch = 1;        ///< Sequences.
  std::uint32_t zero = 0;
  std::uint32_t shard = 1;    ///< Copies that share what `zero` says.
  double gradient_bytes = 2;  ///< Of each parameter, held and sent.
  /// Bytes moved for each parameter of a transformer when a pass adds its gradients to the step's.
  double accumulation_bytes = 0;
  std::string optimiser;
  bool overlap_gradients = true;
  Bytes bucket{};  ///< Gradients of units leave together from this size on; 0: of each unit.
  bool norm_barrier = true;
  bool by_broadcasts = false;     ///< How updated parameters come back,
  bool by_block = false;          ///< or beside the next step's first passes.
  Seconds blocked{};              ///< By a message between stages, both its ends; 0: asynchronous.
  bool scatter_messages = false;  ///< Ranks of a tensor group send a part each.
  double tied = 0;                ///< Parameters that the first and the last part share.
  Seconds profiled_update{};      ///< Of all parameters, of a profile that has it; else 0,
  double all_parameters = 0;      ///< and how many these are.
  bool recorded = false;          ///< A recorded pipeline: its units know what their updates took.
  Seconds norm{};                 ///< To agree on it, beside the message.
  MessageCodec gradients;         ///< How copies compress what they add up,
  MessageCodec between_stages;    ///< and stages their messages.
  std::vector<StageLink> links;   ///< Between neighbouring stages; none: the cluster's network.
  /// The data-parallel schedule whose exchange replicas use; null: Megatron-LM's, as said above.
  std::shared_ptr<const ScheduleInfo> exchange;
  ScheduleOptions exchange_options;  ///< All options of that schedule, in force.

  std::uint32_t micro_batches() const { return order.micro_batches; }
  std::uint32_t global_batch() const { return layout.data * micro_batch * micro_batches(); }
  /// Ranks that hold the same dense parameters.
  std::uint32_t copies() const { return layout.data * layout.context; }
  bool has_copies() const {
    return copies() > 1 || (experts_are_apart() && layout.expert_copies() > 1);
  }
  /// Whether copies add up gradients as Megatron-LM does, and not by another exchange.
  bool sums_gradients() const { return has_copies() && !exchange; }
  /// Whether their copies are on other ranks than those of what is dense.
  bool experts_are_apart() const {
    return layout.expert > 1 || layout.ranks_of_an_expert() != layout.tensor;
  }
  /// Parts of the copies that share what `zero` says, each for itself (Megatron-Core's
  /// num_distributed_optimizer_instances, FSDP's dp_replicate); of experts' copies as many.
  std::uint32_t instances() const { return copies() / shard; }
  std::uint32_t expert_shard() const { return layout.expert_copies() / instances(); }
  /// FSDP's hybrid sharding.
  bool shares_in_parts() const { return zero == 3 && shard < copies(); }
  bool shares_all() const { return zero > 0 && shard == copies(); }
  /// Each of a part's blocks waits for its own updated parameters in its first pass.
  bool awaits_blocks() const { return by_block && has_copies(); }
  /// Ranks keep a share of the gradients: those of every micro-batch leave before the next one's.
  bool scatters_each_micro_batch() const { return zero == 2 && has_copies(); }
};

/// The names of the options that say which part of a job each rank has.
std::vector<std::string> layout_axes();

/// A layout as it is written, "tp=8,pp=4", as the options that it stands for. Throws InputError.
ScheduleOptions options_of_layout(std::string_view text);

/// The names of those that decide most of what a rank holds, of the same layout.
std::vector<std::string> memory_options();

/// The table of options that all schedules of model parallelism share.
std::vector<OptionInfo> hybrid_options();

/// The options in force of a job.
struct HybridReader {
  OptionReader read;
  std::shared_ptr<const ScheduleInfo> exchange{};  ///< Null: Megatron-LM's.
  std::uint32_t chunks = 1;  ///< Parts of the model on each rank; unless the order says.
};

/// `slowness` is as of build_hybrid(). Throws InputError naming the option that is at fault.
HybridJob hybrid_job(const Workload& model, const Cluster& cluster, const HybridReader& options,
                     OrderMaker order, std::span<const double> slowness = {});

/// Times of each part, its waiting inside layers counted as compute.
std::vector<PartTimes> part_times(const HybridJob& job);

/// Bytes that a rank sends to the next stage for each micro-batch, before they are compressed.
Bytes message_size(const HybridJob& job, std::uint32_t part);

/// By how much messages between two stages are compressed.
double message_ratio(const HybridJob& job, std::uint32_t from, std::uint32_t to);

/// Of one parameter, as the passes use it.
double parameter_bytes(const Workload& model);

/// Dense ones of a unit, whose gradients leave behind it: a head's matrix that is the embedding's
/// on the same rank leaves with that.
double leaving_parameters(const HybridJob& job, const ModelUnit& unit);

/// Units of a part whose gradients leave together, behind the backward pass of the first of them.
struct StageBucket {
  std::size_t first = 0;  ///< In the order of forward passes: the backward pass reaches it last.
  RankParameters parameters;
  std::string name;  ///< "fc", "fc .. conv4"
};

/// The buckets of a part in the order in which they leave. A bucket closes when it has the size of
/// HybridJob::bucket, as DDP's do.
std::vector<StageBucket> stage_buckets(const HybridJob& job, std::uint32_t part);

/// Parameters of a rank of a stage.
RankParameters stage_parameters(const HybridJob& job, std::uint32_t stage);

/// What a rank of a stage takes to update its share, the optimiser's kernels moving so many bytes
/// (0: free), or as recorded.
Seconds update_time(const HybridJob& job, std::uint32_t stage, BytesPerSecond moves);

/// What a recorded rank of a stage does, or its host, between its last pass and the sums of
/// gradients.
Seconds time_before_sums(const HybridJob& job, std::uint32_t stage);

/// Of dense parameters of so many bytes each that copies have updated in shares, or as recorded.
Bytes gathered_size(const HybridJob& job, std::uint32_t stage, Bytes element);

/// What a rank of a stage holds, by ZeRO's stage: bytes for each parameter of precision, gradients
/// and optimiser; activations from the order.
MemoryUse stage_memory(const HybridJob& job, const Workload& model, std::uint32_t stage);

/// What a rank of the stage that holds most needs.
Bytes fullest_stage(const HybridJob& job, const Workload& model);

}  // namespace stepcast
