#include "models/schedule/model_parallel/model_units.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/collective/collective.hpp"

namespace stepcast {
namespace {

// Communication of one pass of a unit: while compute waits, and how many bytes a rank sends.
struct Wait {
  Seconds time{};
  Bytes sent{};

  Wait& operator+=(const Wait& other) {
    time += other.time;
    sent += other.sent;
    return *this;
  }
};

class TransformerUnits {
 public:
  TransformerUnits(const Transformer& shape, const TrainingLaw& law, const Cluster& cluster,
                   const UnitSettings& settings)
      : shape_(shape),
        law_(law),
        cluster_(cluster),
        settings_(settings),
        size_(activation_size(shape, settings.shard)) {}

  std::vector<ModelUnit> units(const MeasuredParts& measured) const {
    std::vector<ModelUnit> units{unit(measured, ModelPart::Embedding, 0)};
    std::map<ModelPart, ModelUnit> kinds;  // dense blocks, and those with experts
    for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
      const ModelPart part = block_part(shape_, layer);
      if (!kinds.contains(part))
        kinds[part] = unit(measured, part, layer);
      units.push_back(kinds[part]);
      units.back().name = fmt::format("block {}", layer);
    }
    units.push_back(unit(measured, ModelPart::Head, 0));
    return units;
  }

 private:
  // As measured, or as the law where no row is of the part.
  ModelUnit unit(const MeasuredParts& measured, ModelPart part, std::uint32_t layer) const {
    ModelUnit wanted = unit_by_law(part, layer);
    const MeasuredPart* row =
        required_row(measured, part, shard(), shape_.seq, settings_.recompute);
    if (!row)
      return wanted;
    Transformer shape = shape_;
    shape.seq = row->seq;
    UnitSettings settings = settings_;
    settings.shard = shard_of(*row, shard());
    settings.recompute = row->recompute;
    const ModelUnit of_row =
        TransformerUnits(shape, law_, cluster_, settings).unit_by_law(part, layer);
    const PassTimes times = scaled(*row, passes_with(wanted, row->with_messages),
                                   passes_with(of_row, row->with_messages));
    const PartTimes by_law = wanted.compute;
    wanted.compute = {times.forward, times.input_gradient, times.weight_gradient};
    if (row->with_messages) {  // what of it is waiting, as the cluster has it
      wanted.forward_wait = std::min(wanted.forward_wait, times.forward);
      wanted.backward_wait = std::min(wanted.backward_wait, times.input_gradient);
      wanted.compute.forward -= wanted.forward_wait;
      wanted.compute.input_gradient -= wanted.backward_wait;
    }
    if (by_law.recomputed > Seconds{})
      wanted.compute.recomputed =
          by_law.recomputed * (wanted.compute.input_gradient / by_law.input_gradient);
    return wanted;
  }

  static PassTimes passes_with(const ModelUnit& unit, bool messages) {
    const PartTimes passes = messages ? times_of(unit) : unit.compute;
    return {passes.forward, passes.input_gradient, passes.weight_gradient};
  }

  ModelUnit unit_by_law(ModelPart part, std::uint32_t layer) const {
    switch (part) {
      case ModelPart::Embedding:
        return embedding();
      case ModelPart::Head:
        return head();
      case ModelPart::Block:
      case ModelPart::ExpertBlock:
        return block(layer);
    }
    return {};
  }

  const TransformerShard& shard() const { return settings_.shard; }

  Wait collective(CollectiveKind kind, Bytes size, const Team& team) const {
    const Group& group = team.groups.front();
    if (group.size() == 1 || size == Bytes{})
      return {};
    const Collective each{.kind = kind, .algorithm = default_algorithm(kind), .size = size};
    return {launch_of(each, group, cluster_) + cost_of(each, group, cluster_),
            sent_per_rank(each, group.size())};
  }

  // Among a tensor group, compressed or not. A gather unpacks what a scatter packs, and both are an
  // all-reduce.
  Wait tensor_message(CollectiveKind kind, Bytes size) const {
    const MessageCodec& codec = settings_.codec;
    Wait wait = collective(kind, size / codec.ratio, tensor_team(settings_.layout, 0));
    if (shard().tensor == 1)
      return wait;
    if (kind != CollectiveKind::AllGather)
      wait.time += codec.of_sum(size, shard().tensor);
    if (kind == CollectiveKind::ReduceScatter)
      wait.time -= codec.once(size);
    if (kind == CollectiveKind::AllGather)
      wait.time += codec.once(size);
    return wait;
  }

  // Before and behind the two halves of a block: an all-reduce of the activation each, or, with
  // sequence parallelism, a gather before and a reduce-scatter behind.
  Wait tensor_pair(Bytes size) const {
    if (!shard().sequence_parallel)
      return tensor_message(CollectiveKind::AllReduce, size);
    Wait both = tensor_message(CollectiveKind::AllGather, size);
    both += tensor_message(CollectiveKind::ReduceScatter, size);
    return both;
  }

  // Queries, keys and values to the ranks of their heads, and what attention made of them back:
  // four all-to-alls in each pass, with nothing to do beside (Jacobs et al., DeepSpeed Ulysses,
  // 2023).
  Wait by_heads_wait() const {
    const auto part = [&](double width) {
      return size_ * (width / shape_.hidden / shard().tensor);
    };
    const Bytes queries = part(1.0 * shape_.heads * shape_.score_size());
    const Bytes keys = part(1.0 * shape_.kv_heads * shape_.score_size());
    const Bytes values = part(shape_.kv_size());
    const Bytes made = part(shape_.attention_size());
    const Team team = context_team(settings_.layout, 0);
    Wait wait;
    for (const Bytes size : {queries, keys, values, made})
      wait += collective(CollectiveKind::AllToAll, size, team);
    return wait;
  }

  // Keys and values go round a ring, a hop beside each piece of attention: what is longer decides.
  Wait context_wait(double passes, Seconds attention) const {
    const double ways = shard().context;
    if (ways == 1)
      return {};
    if (settings_.context_by_heads)
      return by_heads_wait();
    const Bytes block = size_ * (1.0 * shape_.keys_and_values() / shape_.hidden / shard().tensor);
    Wait hop =
        collective(CollectiveKind::AllGather, block * ways, context_team(settings_.layout, 0));
    const Seconds hidden = attention * ((ways - 1) / ways);
    return {std::max(Seconds{}, hop.time * passes - hidden), hop.sent * passes};
  }

  bool has_experts(std::uint32_t layer) const {
    return shape_.has_experts() && layer >= shape_.dense_layers;
  }

  // Tokens to their experts and back; the fullest one's ranks receive most, or all as many as their
  // capacity.
  Wait expert_wait(std::uint32_t layer) const {
    if (!has_experts(layer))
      return {};
    const Bytes size = size_ * (shape_.top_k * shard().expert_load() /
                                (shard().sequence_parallel ? shard().tensor : 1));
    Wait wait = collective(CollectiveKind::AllToAll, size, expert_team(settings_.layout, 0));
    wait += wait;
    return wait;
  }

  // What is left of the waiting for a pass's messages.
  Seconds exposed(Seconds messages, Seconds beside) const {
    switch (settings_.overlap) {
      case TensorOverlap::None:
        return messages;
      case TensorOverlap::Backward:
        return std::max(Seconds{}, messages - beside);
      case TensorOverlap::Pieces:
        return std::max(Seconds{}, messages - beside) + messages / shard().tensor;
    }
    return messages;
  }

  // The halves of a block whose products tensor parallelism shares; whole experts need no others.
  int shared_halves(std::uint32_t layer) const {
    const bool whole = has_experts(layer) && shape_.shared_experts == 0 &&
                       settings_.layout.ranks_of_an_expert() < shard().tensor;
    return whole ? 1 : 2;
  }

  Wait tensor_wait(std::uint32_t layer) const {
    const Wait half = tensor_pair(size_);
    Wait wait = half;
    if (shared_halves(layer) == 2)
      wait += half;
    return wait;
  }

  Wait forward_wait(const PassTimes& times, std::uint32_t layer) const {
    Wait wait = tensor_wait(layer);
    if (settings_.overlap == TensorOverlap::Pieces)
      wait.time = exposed(wait.time, times.forward);
    wait += context_wait(1, times.scores);
    wait += expert_wait(layer);
    return wait;
  }

  Wait backward_wait(const PassTimes& times, std::uint32_t layer, const Wait& forward) const {
    Wait wait = tensor_wait(layer);
    if (shard().sequence_parallel)  // the inputs of products are kept in shards
      for (int half = 0; half < shared_halves(layer); ++half)
        wait += tensor_message(CollectiveKind::AllGather, size_);
    wait.time = exposed(wait.time, times.weight_gradient);
    wait += context_wait(2, times.scores * 2);
    wait += expert_wait(layer);
    if (settings_.recompute == Recompute::Full)
      wait += forward;
    return wait;
  }

  PartTimes passes_of(const PassTimes& times, double blocks) const {
    PartTimes passes{times.forward, times.input_gradient, times.weight_gradient};
    if (settings_.recompute == Recompute::Selective)
      passes.recomputed = times.scores;
    Seconds host = settings_.host_block * blocks;
    if (settings_.recompute == Recompute::Full)
      passes.recomputed =
          std::max(times.forward - (settings_.stops_early ? times.last : Seconds{}), host);
    passes.input_gradient += passes.recomputed;
    passes.forward = std::max(passes.forward, host);
    const Seconds backward = passes.input_gradient + passes.weight_gradient;
    const Seconds least = settings_.recompute == Recompute::Full ? host * 2 : host;
    if (backward < least)
      passes.input_gradient += least - backward;
    return passes;
  }

  ModelUnit block(std::uint32_t layer) const {
    const PassTimes times = block_times(shape_, law_, shard(), layer);
    const RankParameters parameters = block_parameters(shape_, shard(), layer);
    const Wait forward = forward_wait(times, layer);
    const Wait backward = backward_wait(times, layer, forward);
    return {.compute = passes_of(times, 1),
            .forward_wait = forward.time,
            .backward_wait = backward.time,
            .sent = forward.sent + backward.sent,
            .parameters = parameters.dense,
            .expert_parameters = parameters.expert,
            .held = held_by_block(shape_, shard(), settings_.recompute),
            .output = size_,
            .is_block = true};
  }

  // Recomputation is of blocks alone.
  ModelUnit embedding() const {
    const PassTimes times = embedding_times(shape_, law_, shard());
    const Wait wait = shape_.sees_images()
                          ? Wait{}
                          : tensor_message(shard().sequence_parallel ? CollectiveKind::ReduceScatter
                                                                     : CollectiveKind::AllReduce,
                                           size_);
    return {.name = "embedding",
            .compute = {times.forward, times.input_gradient, times.weight_gradient},
            .forward_wait = wait.time,
            .sent = wait.sent,
            .parameters = embedding_parameters(shape_, shard()),
            .output = size_};
  }

  // Classes of images are not cut. Else maximum, target and sum of every token's logits, 4 bytes
  // each.
  ModelUnit head() const {
    const PassTimes times = head_times(shape_, law_, shard());
    const Bytes tokens = size_ / shape_.hidden / element_size(shape_).value * 4;
    Wait forward;
    Wait backward;
    if (!shape_.sees_images()) {
      for (int each = 0; each < 3; ++each)
        forward += collective(CollectiveKind::AllReduce, tokens, tensor_team(settings_.layout, 0));
      backward = tensor_message(
          shard().sequence_parallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
          size_);
      backward.time = exposed(backward.time, times.weight_gradient);
    }
    return {.name = "head",
            .compute = {times.forward, times.input_gradient, times.weight_gradient},
            .forward_wait = forward.time,
            .backward_wait = backward.time,
            .sent = forward.sent + backward.sent,
            .parameters = head_parameters(shape_, shard()),
            .held = held_by_head(shape_, shard())};
  }

  const Transformer& shape_;
  const TrainingLaw& law_;
  const Cluster& cluster_;
  const UnitSettings& settings_;
  Bytes size_;
};

/// With the update of all parameters, whoever does it.
RecordedPart recorded_part(const RecordedPipeline& pipeline, std::size_t layer) {
  RecordedPart part = pipeline.parts[layer];
  if (pipeline.shares_optimiser)
    part.update = part.update * pipeline.copies;
  return part;
}

// Of a recorded pipeline's stage the output is known, and nothing else that it holds.
std::vector<ModelUnit> layer_units_of(const Workload& workload, Recompute recompute) {
  std::vector<ModelUnit> units;
  for (const Layer& layer : workload.layers) {
    ModelUnit unit{.name = layer.name,
                   .compute = {layer.forward, layer.backward / 2, layer.backward / 2},
                   .held = layer.activation,
                   .output = layer.activation};
    for (const Parameter& parameter : layer.parameters)
      unit.parameters += static_cast<double>(parameter.elements);
    if (recompute == Recompute::Full) {
      unit.compute.input_gradient += layer.forward;
      unit.compute.recomputed = layer.forward;
    }
    if (workload.pipeline) {
      unit.recorded = recorded_part(*workload.pipeline, units.size());
      unit.held = {};
    }
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace

std::vector<ModelUnit> model_units(const Workload& model, const Cluster& cluster,
                                   const UnitSettings& settings) {
  if (!model.transformer)
    return layer_units_of(model, settings.recompute);
  const TransformerModel& transformer = *model.transformer;
  return TransformerUnits(transformer.shape, transformer.law, cluster, settings)
      .units(transformer.measured);
}

PartTimes times_of(const ModelUnit& unit) {
  return {unit.compute.forward + unit.forward_wait,
          unit.compute.input_gradient + unit.backward_wait, unit.compute.weight_gradient};
}

}  // namespace stepcast
