#include <algorithm>

#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {
namespace {

constexpr double kFp32 = 4;

double optimiser_state_bytes(const std::string& optimiser, double element) {
  const double values = optimiser == "adam" ? 2 : optimiser == "sgd" ? 1 : 0;
  return kFp32 * (values + (element < kFp32 ? 1 : 0));
}

RecordedPart stage_record(const HybridJob& job, std::uint32_t stage) {
  RecordedPart sum;
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const std::uint32_t part = part_of(job.order, stage, chunk);
    for (std::size_t unit = job.first_unit[part]; unit < job.first_unit[part + 1]; ++unit) {
      const RecordedPart& recorded = job.units[unit].recorded;
      sum.gathered += recorded.gathered;
      sum.update += recorded.update;
      sum.before_sums += recorded.before_sums;
      sum.once += recorded.once;
    }
  }
  return sum;
}

// What sharers gather of a unit.
double gathered_parameters(const HybridJob& job, const ModelUnit& unit) {
  return (job.shard > 1 ? unit.parameters : 0) +
         (job.expert_shard() > 1 ? unit.expert_parameters : 0);
}

// What is whole for a while of what is otherwise kept in shares. Of the largest unit, with ZeRO-3,
// parameters of the one in use and of the one gathered ahead, and gradients that are being reduced;
// with ZeRO-2 those gradients, or all of a pass where they leave behind it.
Bytes whole_for_a_while(const HybridJob& job, double element, std::uint32_t stage) {
  if (job.zero < 2)
    return {};
  double most = 0;
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const std::uint32_t part = part_of(job.order, stage, chunk);
    double of_pass = 0;
    for (std::size_t unit = job.first_unit[part]; unit < job.first_unit[part + 1]; ++unit) {
      const double of_unit = gathered_parameters(job, job.units[unit]);
      of_pass += of_unit;
      most = std::max(most, of_unit);
    }
    if (job.zero == 2 && !job.overlap_gradients)
      most = std::max(most, of_pass);
  }
  return Bytes{most * (job.zero == 3 ? 2 * element + job.gradient_bytes : job.gradient_bytes)};
}

}  // namespace

double parameter_bytes(const Workload& model) {
  return model.transformer ? element_size(model.transformer->shape).value : kFp32;
}

double leaving_parameters(const HybridJob& job, const ModelUnit& unit) {
  const bool is_tied =
      !job.recorded && job.zero < 3 && job.order.parts() == 1 && &unit == &job.units.back();
  return std::max(0.0, unit.parameters - (is_tied ? job.tied : 0));
}

RankParameters stage_parameters(const HybridJob& job, std::uint32_t stage) {
  RankParameters sum;
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const std::uint32_t part = part_of(job.order, stage, chunk);
    for (std::size_t unit = job.first_unit[part]; unit < job.first_unit[part + 1]; ++unit) {
      sum.dense += job.units[unit].parameters;
      sum.expert += job.units[unit].expert_parameters;
    }
  }
  // On one rank the head shares the embedding's matrix.
  const bool holds_both = job.order.both_ways && (stage == 0 || stage + 1 == job.order.stages);
  if (job.order.parts() == 1 || holds_both)
    sum.dense = std::max(0.0, sum.dense - job.tied);  // 0 where one copy added up nothing
  return sum;
}

MemoryUse stage_memory(const HybridJob& job, const Workload& model, std::uint32_t stage) {
  const double element = parameter_bytes(model);
  const RankParameters held = stage_parameters(job, stage);
  const auto bytes = [&](double each, std::uint32_t sharded_from) {
    const bool sharded = job.zero >= sharded_from;
    return Bytes{each * (held.dense / (sharded ? job.shard : 1) +
                         held.expert / (sharded ? job.expert_shard() : 1))};
  };
  MemoryUse use{.parameters = bytes(element, 3),
                .gradients = bytes(job.gradient_bytes, 2),
                .optimiser = bytes(optimiser_state_bytes(job.optimiser, element), 1),
                .fusion_buffers = whole_for_a_while(job, element, stage)};
  std::vector<double> of_chunk;
  Bytes largest{};
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const std::uint32_t part = part_of(job.order, stage, chunk);
    Bytes sum{};
    for (std::size_t unit = job.first_unit[part]; unit < job.first_unit[part + 1]; ++unit) {
      sum += job.units[unit].held;
      use.activations_known =
          use.activations_known && (model.transformer || job.units[unit].held > Bytes{});
    }
    of_chunk.push_back(sum.value);
  }
  if (model.transformer && job.recompute[stage] == Recompute::Full)
    largest = held_by_block(model.transformer->shape, job.settings.shard, Recompute::None);
  use.activations = Bytes{most_held(job.order, stage, of_chunk)} + largest;
  return use;
}

Seconds update_time(const HybridJob& job, std::uint32_t stage, BytesPerSecond moves) {
  const double share = job.zero > 0 ? job.shard : 1;
  if (job.recorded) {
    const RecordedPart recorded = stage_record(job, stage);
    return recorded.update / share + recorded.once;
  }
  const RankParameters held = stage_parameters(job, stage);
  if (job.profiled_update > Seconds{})
    return job.profiled_update * (held.dense / job.all_parameters / share);
  const double expert_share = job.zero > 0 ? job.expert_shard() : 1;
  const Bytes traffic{(held.dense / share + held.expert / expert_share) *
                      job.settings.optimiser_bytes};
  return moves > BytesPerSecond{} ? traffic / moves : Seconds{};
}

Seconds time_before_sums(const HybridJob& job, std::uint32_t stage) {
  return stage_record(job, stage).before_sums;
}

Bytes gathered_size(const HybridJob& job, std::uint32_t stage, Bytes element) {
  const Bytes recorded = stage_record(job, stage).gathered;
  return recorded > Bytes{} ? recorded : element * stage_parameters(job, stage).dense;
}

Bytes fullest_stage(const HybridJob& job, const Workload& model) {
  Bytes most{};
  for (std::uint32_t stage = 0; stage < job.order.stages; ++stage)
    most = std::max(most, stage_memory(job, model, stage).total());
  return most;
}

}  // namespace stepcast
