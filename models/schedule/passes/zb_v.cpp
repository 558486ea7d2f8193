#include <algorithm>
#include <array>
#include <utility>

#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;
using Passes = std::vector<PipelinePass>;

/// Writes the passes of one rank of a V; counts those of each kind and part.
class RankOfV {
 public:
  explicit RankOfV(Count micro_batches) : micro_batches_(micro_batches) {}

  void forward(Count chunk) { add(PassKind::Forward, chunk, forward_[chunk]++); }
  void input(Count chunk) { add(PassKind::InputGradient, chunk, input_[chunk]++); }
  void weight(Count chunk) { add(PassKind::WeightGradient, chunk, weight_[chunk]++); }
  void backward(Count chunk) {
    input(chunk);
    weight(chunk);
  }
  void late_weights(Count chunk) {
    while (weight_[chunk] < input_[chunk])
      weight(chunk);
  }

  Passes passes(Count stages, Count stage) && {
    const Count total = std::max(2 * stages - 1, micro_batches_);
    for (Count k = 0; k < 2 * (stages - stage) - 1; ++k)
      forward(0);
    for (Count k = 0; k < stage; ++k) {
      forward(1);
      forward(0);
    }
    for (Count k = 0; k < stages - stage; ++k) {
      forward(1);
      backward(1);
    }
    while (forward_[1] < forward_[0] || forward_[0] < total) {
      if (forward_[0] < total)
        forward(0);
      backward(0);
      forward(1);
      backward(1);
    }
    for (Count k = 0; k < stage; ++k) {
      input(0);
      input(1);
    }
    for (Count k = 0; k < stages - stage; ++k)
      backward(0);
    late_weights(1);
    late_weights(0);
    return std::move(passes_);
  }

 private:
  // The order is that of 2p - 1 micro-batches at least; of fewer the others are left out.
  void add(PassKind kind, Count chunk, Count micro_batch) {
    if (micro_batch < micro_batches_)
      passes_.push_back({.kind = kind, .micro_batch = micro_batch, .chunk = chunk});
  }

  Count micro_batches_;
  std::array<Count, 2> forward_{}, input_{}, weight_{};
  Passes passes_;
};

// Two parts on each rank, i and 2p - 1 - i, so that the last part is where the first one is; input
// and weight gradients apart. With passes of equal length every rank works from its first pass to
// its last without a break from 2p - 1 micro-batches on, and none holds more than 2p parts'
// activations, p micro-batches of 1F1B (Pipeline Parallelism with Controllable Memory; the order is
// that of PyTorch's ScheduleZBVZeroBubble).
PipelineOrder zb_v_order(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  PipelineOrder order = empty_order("zb-v", stages, micro_batches, 2);
  order.folded = true;
  for (Count stage = 0; stage < stages; ++stage)
    order.ranks[stage] = RankOfV(micro_batches).passes(stages, stage);
  return order;
}

}  // namespace

ScheduleInfo zb_v_schedule() {
  return passes_schedule("zb-v",
                         "zero bubble over two parts on each rank, there and back; memory of 1f1b",
                         "Qi et al., NeurIPS 2024", {.order = zb_v_order, .chunks = 2});
}

}  // namespace stepcast
