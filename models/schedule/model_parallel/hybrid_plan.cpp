#include "models/schedule/model_parallel/hybrid_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/edited/host_work.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {
namespace {

std::string units_in_words(const HybridJob& job, std::uint32_t stage) {
  std::string words;
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const std::uint32_t part = part_of(job.order, stage, chunk);
    const std::string& first = job.units[job.first_unit[part]].name;
    const std::string& last = job.units[job.first_unit[part + 1] - 1].name;
    words += fmt::format("{}{}", chunk == 0 ? "" : ", ",
                         first == last ? first : fmt::format("{} .. {}", first, last));
  }
  return words;
}

// What runs inside layers is time of a stage, not traffic of links.
void note_messages(Plan& plan, const HybridJob& job) {
  Bytes sent{};
  for (const ModelUnit& unit : job.units)
    sent += unit.sent * job.micro_batches() / job.layout.pipeline;
  if (sent > Bytes{})
    plan.notes.push_back({NoteKind::Scope, "traffic",
                          fmt::format("Messages inside layers, {} a GPU and step, are counted as "
                                      "time and not as traffic of links.",
                                      format_bytes(sent))});
}

// A record has whole backward passes.
void note_halves(Plan& plan, const HybridJob& job) {
  const auto is_half = [](const PipelinePass& pass) {
    return pass.kind == PassKind::InputGradient;
  };
  if (job.recorded && std::ranges::any_of(job.order.ranks, [&](const auto& passes) {
        return std::ranges::any_of(passes, is_half);
      }))
    plan.notes.push_back({NoteKind::Workload, "halves",
                          "Recorded backward passes are cut into two equal halves, for gradients "
                          "of inputs and of weights: assumed."});
}

void note_shards(Plan& plan, const HybridJob& job) {
  if (job.scatters_each_micro_batch() && job.layout.pipeline > 1)
    plan.notes.push_back(
        {NoteKind::Option, "zero",
         fmt::format("zero=2 reduces the gradients of each of the {} micro-batches, "
                     "where zero=1 does so once a step. DeepSpeed refuses zero=2 "
                     "with a pipeline.",
                     job.micro_batches())});
}

// Which passes were measured, and which the law has scaled or made.
void note_measured(Plan& plan, const HybridJob& job, const TransformerModel& model) {
  const Transformer& shape = model.shape;
  std::vector<ModelPart> parts{ModelPart::Embedding, block_part(shape, 0),
                               block_part(shape, shape.layers - 1), ModelPart::Head};
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  for (const ModelPart part : parts) {
    const TransformerShard& shard = job.settings.shard;
    const MeasuredPart* row =
        nearest_row(model.measured, part, shard, shape.seq, job.settings.recompute);
    const bool exact = row && is_as_measured(*row, shard, shape.seq, job.settings.recompute);
    plan.notes.push_back(
        {NoteKind::Workload, "blocks",
         !row
             ? fmt::format("Times of the {}: the device's law; it was not measured.", name_of(part))
         : exact ? fmt::format("Times of the {}: as measured at {}.", name_of(part), describe(*row))
                 : fmt::format("Times of the {}: measured at {}, and scaled by the device's law.",
                               name_of(part), describe(*row))});
  }
}

void note_experts(Plan& plan, const Transformer& shape) {
  if (shape.has_experts())
    plan.notes.push_back(
        {NoteKind::Workload, "experts",
         "Experts count by their products, bytes and messages; what the host launches and sorts "
         "for them is left out: measured steps of such models took up to three times as long."});
}

// At least: the fullest expert has so many times the mean, the others may share the rest equally.
double dropped_share(const TransformerShard& shard, double experts) {
  const double capacity = shard.capacity_factor;
  const double others = (experts - shard.expert_imbalance) / (experts - 1);
  return (std::max(0.0, shard.expert_imbalance - capacity) +
          (experts - 1) * std::max(0.0, others - capacity)) /
         experts;
}

void note_capacity(Plan& plan, const HybridJob& job, const Transformer& shape) {
  const TransformerShard& shard = job.settings.shard;
  if (shard.capacity_factor == 0 || !shape.has_experts())
    return;
  constexpr double kPercent = 100;
  const double dropped = dropped_share(shard, shape.experts);
  plan.notes.push_back(
      {NoteKind::Option, "capacity_factor",
       dropped > 0
           ? fmt::format("Of what tokens send to experts at least {:.3g} % is dropped: the fullest "
                         "expert has {:.6g} times the mean, and room for {:.6g} times. What that "
                         "does to convergence is not forecast.",
                         kPercent * dropped, shard.expert_imbalance, shard.capacity_factor)
           : fmt::format("Every expert computes {:.6g} times the mean, padded: the fullest one has "
                         "{:.6g} times.",
                         shard.capacity_factor, shard.expert_imbalance)});
}

// Of a sequence, what backward passes compute again.
double recomputed_flops(const HybridJob& job, const Transformer& shape) {
  double sum = 0;
  for (std::uint32_t part = 0; part < job.order.parts(); ++part) {
    const Recompute recompute = job.recompute[stage_of(job.order, part)];
    std::uint32_t layer = 0;
    for (std::size_t unit = 0; unit < job.first_unit[part + 1]; ++unit) {
      if (!job.units[unit].is_block)
        continue;
      const BlockFlops flops = block_flops(shape, layer++);
      if (unit < job.first_unit[part] || recompute == Recompute::None)
        continue;
      sum += recompute == Recompute::Selective
                 ? flops.scores
                 : flops.forward - (job.settings.stops_early ? flops.last : 0);
    }
  }
  return sum;
}

// The pass of the job's micro-batch: a larger batch takes less time a sample, so that a pass of
// another batch, scaled, would compare the job with a slower GPU.
Seconds pass_alone(const HybridJob& job, const Workload& model) {
  if (model.transformer)
    return whole_pass_time(*model.transformer, job.settings.shard);
  const Workload whole = with_batch(model, job.micro_batch);
  const Seconds of_rank = forward_time(whole) + backward_time(whole);
  // A recorded rank shares its layers and sequences with others, each of which takes as long.
  return of_rank * (1.0 * job.layout.tensor * job.layout.context);
}

// Each pass adds its gradients to those before. Experts do so once for the tokens of all ranks that
// share them.
Seconds additions(const HybridJob& job, const Workload& model) {
  if (job.accumulation_bytes == 0)
    return {};
  const ParallelLayout& layout = job.layout;
  double experts = 0;
  for (const ModelUnit& unit : job.units)
    experts += unit.expert_parameters * layout.ranks_of_an_expert() * layout.expert;
  const double dense = static_cast<double>(parameter_count(model)) - experts;
  const double added =
      dense * layout.data + experts * std::min(layout.data, layout.expert_copies());
  return Bytes{added * job.micro_batches() * job.accumulation_bytes} /
         model.transformer->law.elementwise;
}

// What all ranks update, each its share.
Seconds updates(const HybridJob& job, const Workload& model, const Cluster& cluster) {
  // Data-parallel schedules update a profile in the time that it has, or for free.
  const BytesPerSecond moves = model.transformer ? model.transformer->law.elementwise
                               : job.exchange    ? BytesPerSecond{}
                                                 : cluster.device.memory_bandwidth;
  Seconds sum{};
  for (std::uint32_t stage = 0; stage < job.order.stages; ++stage)
    sum += update_time(job, stage, moves) * job.layout.stage_ranks();
  return sum;
}

void add_model(HybridPlan& hybrid, const HybridJob& job, const Workload& model,
               const Cluster& cluster) {
  hybrid.alone = pass_alone(job, model) * (1.0 * job.layout.data * job.micro_batches()) +
                 additions(job, model) + updates(job, model, cluster);
  if (!model.transformer)
    return;
  const auto& [shape, law, measured] = *model.transformer;
  hybrid.model_flops = model_flops(shape) * job.global_batch();
  hybrid.hardware_flops = hybrid.model_flops + recomputed_flops(job, shape) * job.global_batch();
  const auto peak = law.peak.find(shape.precision);
  if (peak != law.peak.end())
    hybrid.peak = peak->second;
}

// The stage's activations beside what the exchanges of its parts hold; the communication library
// has one set of buffers.
MemoryUse with_exchange(const MemoryUse& use, const HybridJob& job, std::uint32_t stage,
                        const PlannedStep& step) {
  if (step.exchange_memory.empty())
    return use;
  MemoryUse sum{.activations = use.activations, .activations_known = use.activations_known};
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const MemoryUse& part = step.exchange_memory[part_of(job.order, stage, chunk)];
    sum.parameters += part.parameters;
    sum.gradients += part.gradients;
    sum.optimiser += part.optimiser;
    sum.fusion_buffers += part.fusion_buffers;
    sum.residuals += part.residuals;
    sum.communication_buffers = std::max(sum.communication_buffers, part.communication_buffers);
  }
  return sum;
}

}  // namespace

HybridPlan hybrid_plan(const HybridJob& job, const Workload& model, const Cluster& cluster,
                       const OptionReader& read) {
  PlannedStep step = hybrid_step(job, model, cluster, read);
  HybridPlan hybrid{.plan = std::move(step.plan), .layout = describe(job.layout)};
  hybrid.passes = std::move(step.passes);
  Plan& plan = hybrid.plan;
  plan.summary = {.workers = job.layout.ranks(),
                  .passes = job.micro_batches(),
                  .samples = static_cast<double>(job.global_batch()),
                  .compressed = job.exchange && job.exchange->compressed,
                  .stages = job.order.stages};
  plan.memory = {};
  for (std::uint32_t stage = 0; stage < job.order.stages; ++stage) {
    hybrid.stages.push_back(
        {.holds = units_in_words(job, stage),
         .rank = job.layout.rank(stage, 0, 0, 0),
         .memory = with_exchange(stage_memory(job, model, stage), job, stage, step)});
    if (hybrid.stages.back().memory.total() > plan.memory.total())
      plan.memory = hybrid.stages.back().memory;
  }
  for (Note& note : layout_notes(job.layout, cluster))
    plan.notes.push_back(std::move(note));
  note_messages(plan, job);
  note_halves(plan, job);
  note_shards(plan, job);
  note_no_host(plan, cluster.software);
  if (model.transformer && !model.transformer->measured.rows.empty())
    note_measured(plan, job, *model.transformer);
  if (model.transformer) {
    note_experts(plan, model.transformer->shape);
    note_capacity(plan, job, model.transformer->shape);
  }
  add_model(hybrid, job, model, cluster);
  return hybrid;
}

}  // namespace stepcast
