#include "models/workload/transformer/transformer_workload.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/workload/transformer/block_times.hpp"

namespace stepcast {
namespace {

DataType dtype_of(const Transformer& shape) {
  if (shape.precision == "fp32")
    return DataType::Float32;
  return shape.precision == "fp16" ? DataType::Float16 : DataType::BFloat16;
}

Layer layer_of(std::string name, const char* kind, const PassTimes& times, double parameters,
               DataType dtype) {
  Layer layer{.name = std::move(name),
              .kind = kind,
              .forward = times.forward,
              .backward = times.input_gradient + times.weight_gradient};
  if (parameters > 0)
    layer.parameters = {
        {.name = "weights", .elements = static_cast<std::uint64_t>(parameters), .dtype = dtype}};
  return layer;
}

PassTimes law_times(ModelPart part, const Transformer& shape, const TrainingLaw& law,
                    const TransformerShard& shard, std::uint32_t layer) {
  switch (part) {
    case ModelPart::Embedding:
      return embedding_times(shape, law, shard);
    case ModelPart::Head:
      return head_times(shape, law, shard);
    case ModelPart::Block:
    case ModelPart::ExpertBlock:
      return block_times(shape, law, shard, layer);
  }
  return {};
}

PassTimes times_of(const TransformerModel& model, ModelPart part, const TransformerShard& shard,
                   std::uint32_t layer = 0) {
  const PassTimes times = law_times(part, model.shape, model.law, shard, layer);
  const MeasuredPart* row =
      nearest_row(model.measured, part, shard, model.shape.seq, Recompute::None);
  if (!row)
    return times;
  Transformer shape = model.shape;
  shape.seq = row->seq;
  const PassTimes of_row = law_times(part, shape, model.law, shard_of(*row, shard), layer);
  return scaled(*row, times, with_recomputation(of_row, row->recompute));
}

/// One sentence for each size of the model that lies outside the shapes the law was fitted to.
std::vector<std::string> beyond_measured(const Transformer& shape, const TrainingLaw& law) {
  struct Size {
    const char* range;
    const char* words;
    double value;
  };
  std::vector<std::string> caveats;
  for (const Size& size : {Size{"seq", "Sequences", 1.0 * shape.seq},
                           Size{"head_size", "Heads", 1.0 * shape.score_size()},
                           Size{"side", "Products of a side", 1.0 * shape.hidden},
                           Size{"side", "Products of a side", 1.0 * shape.ffn}}) {
    const auto range = law.measured.find(size.range);
    if (range != law.measured.end() && !range->second.holds(size.value))
      caveats.push_back(fmt::format(
          "{} of {} lie outside what the device's law was fitted to ({} to {}): extrapolated.",
          size.words, size.value, range->second.low, range->second.high));
  }
  return caveats;
}

/// A shard that is the whole model: nothing is cut, and every expert gets its share of the tokens.
TransformerShard whole_of(TransformerShard shard) {
  shard.tensor = shard.context = shard.expert = 1;
  shard.expert_tensor.reset();
  shard.sequence_parallel = false;
  shard.expert_imbalance = 1;
  shard.accumulation_bytes = 0;
  return shard;
}

std::vector<Layer> layers_of(const TransformerModel& model, std::uint32_t batch) {
  const Transformer& shape = model.shape;
  const TransformerShard whole = whole_of({.micro_batch = batch});
  const DataType dtype = dtype_of(shape);
  const Bytes output = activation_size(shape, whole);
  std::vector<Layer> layers{layer_of("embedding", "Embedding",
                                     times_of(model, ModelPart::Embedding, whole),
                                     embedding_parameters(shape, whole), dtype)};
  layers.back().activation = output;
  for (std::uint32_t i = 0; i < shape.layers; ++i) {
    const RankParameters held = block_parameters(shape, whole, i);
    layers.push_back(layer_of(fmt::format("block {}", i), "TransformerBlock",
                              times_of(model, block_part(shape, i), whole, i),
                              held.dense + held.expert, dtype));
    layers.back().activation = held_by_block(shape, whole, Recompute::None);
  }
  const double norm = static_cast<double>(parameter_counts(shape, 0).head);
  layers.push_back(layer_of("head", shape.tied ? "TiedLinear" : "Linear",
                            times_of(model, ModelPart::Head, whole), norm, dtype));
  layers.back().activation = held_by_head(shape, whole);
  return layers;
}

}  // namespace

Workload transformer_workload(const TransformerModel& model, std::string device,
                              std::uint32_t batch) {
  Provenance provenance{
      .kind = ProvenanceKind::Derived,
      .source = "the shape of the model and the device's law: " + model.law.provenance.source,
      .notes = model.law.provenance.notes,
      .caveats = model.law.provenance.caveats};
  std::ranges::move(beyond_measured(model.shape, model.law),
                    std::back_inserter(provenance.caveats));
  if (!model.measured.rows.empty()) {
    const Provenance& measured = model.measured.provenance;
    provenance.source =
        fmt::format("measured parts: {}; for the rest {}", measured.source, provenance.source);
    provenance.notes.insert(provenance.notes.end(), measured.notes.begin(), measured.notes.end());
    provenance.caveats.insert(provenance.caveats.end(), measured.caveats.begin(),
                              measured.caveats.end());
  }
  Workload workload{.name = fmt::format("{}-{}-bs{}", model.shape.model, device, batch),
                    .model = model.shape.model,
                    .device = std::move(device),
                    .batch = batch,
                    .precision = model.shape.precision,
                    .batch_scaling = BatchScaling::Proportional,
                    .provenance = std::move(provenance),
                    .layers = layers_of(model, batch),
                    .transformer = model.shape.can_be_partitioned()
                                       ? std::make_shared<const TransformerModel>(model)
                                       : nullptr};
  workload.update = Bytes{static_cast<double>(parameter_count(workload)) * kUpdateTraffic} /
                    model.law.elementwise;
  return workload;
}

Workload encoder_decoder_workload(const TransformerModel& encoder, const TransformerModel& decoder,
                                  const std::string& device, std::uint32_t batch) {
  Workload whole = transformer_workload(decoder, device, batch);
  std::vector<Layer> layers = layers_of(encoder, batch);
  layers.pop_back();  // the encoder's output goes into the decoder, not into a head
  for (Layer& layer : layers)
    layer.name = "encoder " + layer.name;
  for (Layer& layer : whole.layers) {
    layer.name = "decoder " + layer.name;
    layers.push_back(std::move(layer));
  }
  whole.layers = std::move(layers);
  whole.update =
      Bytes{static_cast<double>(parameter_count(whole)) * kUpdateTraffic} / decoder.law.elementwise;
  return whole;
}

Workload with_accumulated_gradients(Workload workload, std::uint32_t passes) {
  if (passes <= 1 || !workload.transformer)
    return workload;
  for (Layer& layer : workload.layers)
    layer.backward += Bytes{static_cast<double>(parameter_count(layer)) * kAccumulationTraffic} /
                      workload.transformer->law.elementwise;
  return workload;
}

Seconds whole_pass_time(const TransformerModel& model, const TransformerShard& shard) {
  const TransformerShard whole = whole_of(shard);
  const Transformer& shape = model.shape;
  const auto both = [&](ModelPart part, std::uint32_t layer) {
    const PassTimes times = times_of(model, part, whole, layer);
    return times.forward + times.input_gradient + times.weight_gradient;
  };
  const std::uint32_t dense =
      shape.has_experts() ? std::min(shape.dense_layers, shape.layers) : shape.layers;
  Seconds sum = both(ModelPart::Embedding, 0) + both(ModelPart::Head, 0);
  if (dense > 0)
    sum += both(ModelPart::Block, 0) * dense;
  if (dense < shape.layers)
    sum += both(ModelPart::ExpertBlock, dense) * (shape.layers - dense);
  return sum;
}

}  // namespace stepcast
