#include "models/schedule/model_parallel/hybrid_job.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/model_parallel/exchange_options.hpp"
#include "models/schedule/model_parallel/hybrid_messages.hpp"
#include "models/schedule/model_parallel/partition.hpp"
#include "models/workload/transformer/transformer_text.hpp"

namespace stepcast {
namespace {

constexpr const char* kRecompute = "recompute";

Recompute recompute_of(const OptionReader& read, std::string_view word) {
  if (const auto found = find_recompute(word))
    return *found;
  read.fail(kRecompute,
            fmt::format("expected none, selective or full, or one of them for each stage, found {}",
                        in_quotes(word)));
}

bool recomputes_by_stage(const OptionReader& read) {
  return read.text(kRecompute).find(',') != std::string::npos;
}

std::uint32_t micro_batch_of(const OptionReader& read, const Workload& workload) {
  if (read.is("micro_batch", "auto"))
    return workload.batch;
  if (workload.pipeline && read.count("micro_batch") != workload.batch)
    read.fail("micro_batch",
              fmt::format("expected {}: how long another one takes was not recorded, found {}",
                          workload.batch, read.count("micro_batch")));
  return read.count("micro_batch");
}

// A step's sequences are counted in 32 bits.
void require_countable(const OptionReader& read, std::uint64_t at_once, std::uint32_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (at_once > kMost / count)
    read.fail("micro_batch",
              fmt::format("expected at most {} sequences in a step, found {} micro-batches of {} "
                          "on all copies together",
                          kMost, count, at_once));
}

// As many as recorded; four for each stage where nobody says: a bubble of a fifth.
std::uint32_t micro_batches_of(const OptionReader& read, const ParallelLayout& layout,
                               const Workload& workload, std::uint32_t micro_batch) {
  const std::uint64_t at_once = std::uint64_t{layout.data} * micro_batch;
  if (read.is("global_batch", "auto")) {
    const std::uint32_t usual = layout.pipeline == 1 ? workload.passes : 4 * layout.pipeline;
    const std::uint32_t count = workload.pipeline ? workload.pipeline->micro_batches : usual;
    require_countable(read, at_once, count);
    return count;
  }
  const std::uint32_t batch = read.count("global_batch");
  if (batch % at_once != 0)
    read.fail("global_batch",
              fmt::format("expected a multiple of dp x micro_batch ({} x {} = {}), found {}",
                          layout.data, micro_batch, at_once, batch));
  return static_cast<std::uint32_t>(batch / at_once);
}

UnitSettings settings_of(const OptionReader& read, const ParallelLayout& layout,
                         std::uint32_t micro_batch) {
  return {.layout = layout,
          .shard = {.micro_batch = micro_batch,
                    .tensor = layout.tensor,
                    .context = layout.context,
                    .expert = layout.expert,
                    .expert_tensor = layout.expert_tensor,
                    .sequence_parallel = layout.tensor > 1 && read.is("sequence_parallel", "yes"),
                    .expert_imbalance = read.number("expert_imbalance"),
                    .capacity_factor = read.number("capacity_factor"),
                    .accumulation_bytes = read.number("accumulation_bytes"),
                    .elementwise_traffic = read.number("elementwise_traffic"),
                    .attention_rate = read.number("attention_rate"),
                    .pad_vocabulary = read.is("pad_vocabulary", "yes") ||
                                      (read.is("pad_vocabulary", "tensor") && layout.tensor > 1)},
          .recompute = recomputes_by_stage(read) ? Recompute::None
                                                 : recompute_of(read, read.text(kRecompute)),
          .stops_early = read.is("recompute_stops_early", "yes"),
          .overlap = read.choice_of<TensorOverlap>("tensor_overlap",
                                                   {{"none", TensorOverlap::None},
                                                    {"backward", TensorOverlap::Backward},
                                                    {"pieces", TensorOverlap::Pieces}}),
          .codec = codec_of(read, "tp"),
          .context_by_heads = read.is("context_parallel", "ulysses"),
          .host_block = read.time("host_block"),
          .optimiser_bytes = read.number("optimiser_bytes")};
}

std::vector<ModelUnit> units_of(const Workload& model, const Cluster& cluster,
                                const HybridJob& job) {
  return model.transformer ? model_units(model, cluster, job.settings)
                           : model_units(with_batch(model, job.micro_batch), cluster, job.settings);
}

/// By how much the fullest stage exceeds its device; 0 where it fits, or nobody knows.
double excess_of(const HybridJob& job, const Workload& model, const Cluster& cluster) {
  const Bytes has = cluster.device.memory;
  return has > Bytes{} ? std::max(0.0, (fullest_stage(job, model) - has).value) : 0;
}

/// Returns the slowness of each part: that of the slowest rank that holds it. Empty: no rank is
/// slow.
std::vector<double> slowness_of_parts(const HybridJob& job, std::span<const double> of_ranks) {
  std::vector<double> slowness;
  if (of_ranks.empty())
    return slowness;
  slowness.resize(job.order.parts(), 0);
  const std::uint32_t ranks = job.layout.stage_ranks();
  for (std::uint32_t stage = 0; stage < job.order.stages; ++stage) {
    const double slowest = std::ranges::max(of_ranks.subspan(std::size_t{stage} * ranks, ranks));
    for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
      double& of_part = slowness[part_of(job.order, stage, chunk)];
      of_part = std::max(of_part, slowest);
    }
  }
  return slowness;
}

PartBounds best_bounds(HybridJob job, const Workload& model, const Cluster& cluster,
                       const std::vector<PartTimes>& times, const std::vector<bool>& counts,
                       Seconds message, std::span<const double> slowness) {
  const auto excess = [&](const PartBounds& bounds) {
    job.first_unit = bounds;
    return excess_of(job, model, cluster);
  };
  return best_parts(job.order, times, message, excess, {equal_parts(counts, job.order.parts())},
                    slowness);
}

PartBounds bounds_of(const HybridJob& job, const Workload& model, const Cluster& cluster,
                     const HybridReader& options, std::span<const double> of_ranks) {
  std::vector<bool> counts;
  std::vector<PartTimes> times;
  const bool blocks = std::ranges::any_of(job.units, &ModelUnit::is_block);
  for (const ModelUnit& unit : job.units) {
    counts.push_back(!blocks || unit.is_block);
    times.push_back(times_of(unit));
  }
  const std::size_t parts = job.order.parts();
  const std::vector<double> slowness = slowness_of_parts(job, of_ranks);
  const Seconds message{(job.units.front().output / cluster.nic.bandwidth).value};
  try {
    const OptionReader& read = options.read;
    if (read.is("partition", "equal"))
      return equal_parts(counts, parts);
    if (read.is("partition", "best"))
      return best_bounds(job, model, cluster, times, counts, message, slowness);
    if (read.is("partition", "time")) {
      std::vector<Seconds> weights;
      for (const PartTimes& time : times)
        weights.push_back(time.forward + time.input_gradient + time.weight_gradient);
      return lightest_parts(weights, parts, slowness);
    }
    return listed_parts(counts, parts, read.text("partition"));
  } catch (const InputError& error) {
    options.read.fail("partition", error.what());
  }
}

// Each token goes to an expert once at most: the fullest one may get all tokens, which is experts /
// top_k times the mean.
void check_expert_load(const OptionReader& read, const Workload& model, const char* name,
                       double without) {
  const double load = read.number(name);
  if (!model.transformer || !model.transformer->shape.has_experts()) {
    if (load != without)
      read.fail(name, fmt::format("expected {}: the model has no experts, found {}", without,
                                  read.text(name)));
    return;
  }
  const Transformer& shape = model.transformer->shape;
  const double most = static_cast<double>(shape.experts) / shape.top_k;
  if (load > most)
    read.fail(name, fmt::format("expected at most experts / top_k ({} / {} = {:.6g}), where every "
                                "token goes to the fullest expert, found {}",
                                shape.experts, shape.top_k, most, read.text(name)));
}

void add_recorded(HybridJob& job, const RecordedPipeline& pipeline, const OptionReader& read) {
  if (job.zero == 3)
    read.fail("zero", fmt::format("expected {}: gathers of parameters within a step were not "
                                  "recorded",
                                  job.layout.pipeline > 1 ? "0 or 1" : "0, 1 or 2"));
  job.recorded = true;
  job.norm = pipeline.norm.value_or(Seconds{});
  job.tied = pipeline.tied / size_of(DataType::Float32);
}

/// Where the user sets the update's time, the bytes that the optimiser moves for a parameter follow
/// from it: the law's own update moves kUpdateTraffic.
void take_update_time(HybridJob& job, const Workload& model) {
  const BytesPerSecond moves = model.transformer->law.elementwise;
  const auto parameters = static_cast<double>(parameter_count(model));
  if (model.update != Bytes{parameters * kUpdateTraffic} / moves)
    job.settings.optimiser_bytes = (moves * model.update).value / parameters;
}

/// What gradients and updates have to know of the model.
void add_model_facts(HybridJob& job, const Workload& model, const OptionReader& read) {
  if (model.transformer)
    take_update_time(job, model);
  if (model.transformer && model.transformer->shape.tied)
    job.tied = vocabulary_parameters(model.transformer->shape, job.settings.shard);
  if (!model.transformer && !model.pipeline) {
    job.profiled_update = model.update;
    job.all_parameters = static_cast<double>(parameter_count(model));
  }
  if (model.pipeline)
    add_recorded(job, *model.pipeline, read);
}

void require_layers(const OptionReader& read, const Workload& model, std::uint32_t parts) {
  constexpr std::size_t kEnds = 2;  // embedding and head may have parts of their own
  const std::size_t layers =
      model.transformer ? model.transformer->shape.layers + kEnds : model.layers.size();
  if (parts > layers)
    read.fail("pp",
              fmt::format("expected at most {} parts of the model, one for each layer{}, "
                          "found {}",
                          layers, model.transformer ? ", the embedding and the head" : "", parts));
}

/// What each stage computes again, where that differs: its units are costed anew.
void recompute_by_stage(HybridJob& job, const Workload& model, const Cluster& cluster,
                        const OptionReader& read) {
  if (read.is("partition", "best") || read.is("partition", "time"))
    read.fail(kRecompute,
              "expected partition=equal or a list of layers beside a word for each stage");
  if (job.order.both_ways)
    read.fail(kRecompute, "expected one word where two stages hold each part");
  job.recompute.clear();
  for (const std::string_view stage : split(read.text(kRecompute), ','))
    job.recompute.push_back(recompute_of(read, stage));
  if (job.recompute.size() != job.order.stages)
    read.fail(kRecompute, fmt::format("expected a word for each of {} stages (pp), found {}",
                                      job.order.stages, job.recompute.size()));
  for (const Recompute each : {Recompute::None, Recompute::Selective, Recompute::Full}) {
    if (std::ranges::find(job.recompute, each) == job.recompute.end())
      continue;
    job.settings.recompute = each;
    const std::vector<ModelUnit> units = units_of(model, cluster, job);
    for (std::uint32_t part = 0; part < job.order.parts(); ++part)
      if (job.recompute[stage_of(job.order, part)] == each)
        std::copy(units.begin() + static_cast<std::ptrdiff_t>(job.first_unit[part]),
                  units.begin() + static_cast<std::ptrdiff_t>(job.first_unit[part + 1]),
                  job.units.begin() + static_cast<std::ptrdiff_t>(job.first_unit[part]));
  }
}

// Passes and messages inside and between parts; by layer where parameters are gathered (zero=3) or
// gradients leave (zero=2 too) in every micro-batch.
void require_few_tasks(const OptionReader& read, const Workload& model,
                       const ParallelLayout& layout, std::uint32_t micro_batches,
                       std::uint32_t chunks, bool has_exchange) {
  constexpr std::uint64_t kMost = 2'000'000;
  const bool by_layer = has_exchange ? layout.pipeline == 1
                                     : (read.is("zero", "2") || read.is("zero", "3")) &&
                                           layout.data * layout.context > 1;
  const std::uint64_t parts = std::uint64_t{layout.pipeline} * chunks;
  const std::uint64_t layers =
      model.transformer ? model.transformer->shape.layers : model.layers.size();
  const std::uint64_t inside = layout.tensor > 1 ? 2 : 0;
  const std::uint64_t each = by_layer ? layers * (5 + inside) : parts * (4 + inside) - 2;
  if (each * micro_batches > kMost)
    read.fail("global_batch",
              fmt::format("expected a step of at most {} tasks, found about {} (micro-batches: "
                          "{}, layers: {}, parts: {})",
                          kMost, each * micro_batches, micro_batches, layers, parts));
}

}  // namespace

std::vector<std::string> layout_axes() {
  return {"tp", "pp", "cp", "ep", "etp", "dp"};
}

std::vector<StageBucket> stage_buckets(const HybridJob& job, std::uint32_t part) {
  const bool by_unit = job.zero == 3 || job.awaits_blocks() || job.scatters_each_micro_batch();
  const Bytes least = by_unit ? Bytes{} : job.bucket;
  std::vector<StageBucket> buckets;
  std::size_t last = 0;
  bool is_open = false;
  for (std::size_t unit = job.first_unit[part + 1]; unit-- > job.first_unit[part];) {
    const ModelUnit& each = job.units[unit];
    if (!is_open) {
      buckets.emplace_back();
      last = unit;
    }
    StageBucket& bucket = buckets.back();
    bucket.first = unit;
    bucket.parameters.dense += leaving_parameters(job, each);
    bucket.parameters.expert += each.expert_parameters;
    bucket.name =
        unit == last ? each.name : fmt::format("{} .. {}", job.units[last].name, each.name);
    const double parameters = bucket.parameters.dense + bucket.parameters.expert;
    is_open = Bytes{parameters * job.gradient_bytes} < least;
  }
  return buckets;
}

ScheduleOptions options_of_layout(std::string_view text) {
  const std::vector<std::string> axes = layout_axes();
  ScheduleOptions options;
  for (const auto& [axis, ways] : split_key_values(text)) {
    if (std::ranges::find(axes, axis) == axes.end())
      throw InputError(
          fmt::format("expected one of {}, found {}", fmt::join(axes, ", "), in_quotes(axis)));
    if (!options.try_emplace(axis, ways).second)
      throw InputError(fmt::format("{}: given twice, as {}={}", axis, axis, ways));
  }
  return options;
}

HybridJob hybrid_job(const Workload& model, const Cluster& cluster, const HybridReader& options,
                     OrderMaker order, std::span<const double> slowness) {
  const OptionReader& read = options.read;
  HybridJob job{.layout = layout_of(read, model, cluster)};
  check_expert_load(read, model, "expert_imbalance", 1);
  check_expert_load(read, model, "capacity_factor", 0);
  job.micro_batch = micro_batch_of(read, model);
  job.settings = settings_of(read, job.layout, job.micro_batch);
  require_layers(read, model, job.layout.pipeline);
  const std::uint32_t micro_batches = micro_batches_of(read, job.layout, model, job.micro_batch);
  require_few_tasks(read, model, job.layout, micro_batches, options.chunks,
                    options.exchange != nullptr);
  try {
    job.order = order(options, job.layout.pipeline, micro_batches);
  } catch (const InputError& error) {
    const std::string what = error.what();
    throw InputError(what.starts_with(read.schedule()) ? what : read.schedule() + ": " + what);
  }
  require_layers(read, model, job.order.parts());
  if (options.exchange)
    job.settings.shard.accumulation_bytes = 0;  // see add_accumulation()
  job.units = units_of(model, cluster, job);
  job.optimiser = optimiser_of(read);
  job.gradient_bytes = parameter_bytes(model);
  take_exchange(job, model, options);
  job.scatter_messages = read.is("scatter_messages", "yes") || job.settings.shard.sequence_parallel;
  add_model_facts(job, model, read);
  job.recompute.assign(job.order.stages, job.settings.recompute);
  job.first_unit = bounds_of(job, model, cluster, options, slowness);
  if (recomputes_by_stage(read))
    recompute_by_stage(job, model, cluster, read);
  add_accumulation(job, model, options);
  add_messages(job, cluster, options);
  return job;
}

std::vector<PartTimes> part_times(const HybridJob& job) {
  std::vector<PartTimes> units;
  for (const ModelUnit& unit : job.units)
    units.push_back(times_of(unit));
  return sums_of(units, job.first_unit);
}

}  // namespace stepcast
