#pragma once

#include <memory>
#include <string>

#include "models/device/training_law.hpp"
#include "models/workload/transformer/measured_parts.hpp"
#include "models/workload/transformer/transformer.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// Bytes that a fused Adam moves for a parameter, about: the default of `optimiser_bytes`.
inline constexpr double kUpdateTraffic = 30;

/// A transformer and what its operators take: any part of it at any batch follows from these.
struct TransformerModel {
  Transformer shape;
  TrainingLaw law;
  MeasuredParts measured;  ///< In place of the law, where a row stands for a part; may be empty.
};

/// A step of the whole model on one GPU, layer by layer: embedding, blocks, head, whose times
/// follow from the device's law, so that schedules that do not cut the model run too. `batch`
/// sequences. Measured parts are taken where a row stands for one GPU.
Workload transformer_workload(const TransformerModel& model, std::string device,
                              std::uint32_t batch);

/// Returns the same of a model whose decoder's blocks attend to the output of an encoder (T5). The
/// encoder's head is left out; both see `batch` sequences, each of its own length.
Workload encoder_decoder_workload(const TransformerModel& encoder, const TransformerModel& decoder,
                                  const std::string& device, std::uint32_t batch);

/// The workload with the time that each backward pass takes to add its gradients to those of
/// earlier passes, if a step has several and the model is a transformer: a profile does not tell
/// it.
Workload with_accumulated_gradients(Workload workload, std::uint32_t passes);

/// Returns the time of a forward and a backward pass of the whole model on one GPU: of the
/// micro-batch and with the kernels that `shard` says, whatever parallelism it says, nothing
/// recomputed.
Seconds whole_pass_time(const TransformerModel& model, const TransformerShard& shard);

}  // namespace stepcast
