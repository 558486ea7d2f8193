#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

// All forward passes, then all backward passes.
PipelineOrder gpipe_order(const HybridReader& /*options*/, std::uint32_t stages,
                          std::uint32_t micro_batches) {
  PipelineOrder order = empty_order("gpipe", stages, micro_batches);
  for (auto& passes : order.ranks)
    passes = alternating(micro_batches, micro_batches, plain_pass);
  return order;
}

}  // namespace

ScheduleInfo gpipe_schedule() {
  return passes_schedule("gpipe", "pipeline: all forward passes, then all backward passes",
                         "Huang et al., NeurIPS 2019", {.order = gpipe_order});
}

}  // namespace stepcast
