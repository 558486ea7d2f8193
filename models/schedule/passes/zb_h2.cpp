#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

// More forward passes in the warm-up than zb-h1 has, and stage i keeps 2i weight gradients back, so
// that every stage works from its first pass to its last without a break: 2p - 1 activations.
PipelineOrder zb_h2_order(const HybridReader& /*options*/, std::uint32_t stages,
                          std::uint32_t micro_batches) {
  return with_late_weights(alternating_order("zb-h2", stages, micro_batches, 2), 2);
}

}  // namespace

ScheduleInfo zb_h2_schedule() {
  return passes_schedule("zb-h2", "the same with a longer warm-up, twice the activations",
                         "Qi et al., ICLR 2024", {.order = zb_h2_order});
}

}  // namespace stepcast
