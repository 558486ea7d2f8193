#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

// 1F1B with weight gradients apart: stage i keeps its first i back, then does one behind each input
// gradient, and holds as many activations as under 1F1B.
PipelineOrder zb_h1_order(const HybridReader& /*options*/, std::uint32_t stages,
                          std::uint32_t micro_batches) {
  return with_late_weights(alternating_order("zb-h1", stages, micro_batches, 1), 1);
}

}  // namespace

ScheduleInfo zb_h1_schedule() {
  return passes_schedule("zb-h1", "1f1b whose weight gradients fill the bubble, same memory",
                         "Qi et al., ICLR 2024", {.order = zb_h1_order});
}

}  // namespace stepcast
