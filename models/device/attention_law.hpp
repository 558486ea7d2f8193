#pragma once

#include "models/device/device_spec.hpp"

namespace stepcast {

/// What one pass of attention takes on a GPU, in four fitted numbers.
struct AttentionPass {
  Seconds launch{};       ///< Of the pass, however small.
  FlopsPerSecond peak{};  ///< Of products of endless heads, all multiprocessors busy.
  double softmax = 0;     ///< Numbers of a head whose products take as long as a score's softmax.
  Seconds block{};        ///< Of a tile before and after its loop.
};

/// How a fused kernel attends without storing scores (Dao, 2023, arXiv 2307.08691; Shah et al.,
/// 2024, arXiv 2407.08608).
///
/// A tile of query rows (backward: of key rows) runs on one multiprocessor and loops over the keys
/// that it sees. For each pair of a query and a key the kernel multiplies over the head's numbers:
/// two products forward, five backward. The softmax of a score takes a time of its own that no head
/// size changes, so that small heads reach less of the peak. Heads are padded to the sizes that the
/// kernels are compiled for. Tiles of equal length run in waves; causal ones start with the
/// longest, so that the others fill up what it leaves. Operands must also come from memory once.
struct AttentionLaw {
  double slots = 1;            ///< Tiles that run at once: multiprocessors of the GPU.
  double rows = 128;           ///< Of a tile: published with the kernels' sources.
  double quantisation = 0.5;   ///< 0: a part of a wave takes its part of the time; 1: all of it.
  BytesPerSecond bandwidth{};  ///< Of the memory; 0: of no matter.
  AttentionPass forward, backward;
};

/// Attention of one layer on one GPU.
struct AttentionShape {
  double heads = 1;       ///< Of queries, of all sequences together.
  double kv_heads = 1;    ///< Of keys and values, of all sequences together.
  double queries = 1;     ///< Of a sequence on this GPU.
  double keys = 1;        ///< Of a sequence.
  double score_size = 1;  ///< Numbers of a head that scores multiply.
  double value_size = 1;
  bool causal = true;  ///< A query sees half of the keys in the mean.
};

/// The operations of both products of the forward pass that no mask skips.
Flops attention_flops(const AttentionShape& shape);

Seconds attention_forward_time(const AttentionLaw& law, const AttentionShape& shape);
Seconds attention_backward_time(const AttentionLaw& law, const AttentionShape& shape);

}  // namespace stepcast
