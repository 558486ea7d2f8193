#include "models/schedule/options.hpp"
#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

// One forward and one backward pass in turn behind a warm-up of p - 1 - i forward passes on stage
// i, or of twice as many: then a message of any stage may take as long as a pass and nobody waits,
// for twice the activations.
PipelineOrder one_forward_one_backward_order(const HybridReader& options, std::uint32_t stages,
                                             std::uint32_t micro_batches) {
  const std::uint32_t times = options.read.is("warm_up", "double") ? 2 : 1;
  return alternating_order("1f1b", stages, micro_batches, times);
}

}  // namespace

ScheduleInfo one_forward_one_backward_schedule() {
  return passes_schedule(
      "1f1b", "pipeline: one forward, one backward pass in turn",
      "Narayanan et al., SC 2021 (PipeDream-flush)", {.order = one_forward_one_backward_order},
      {searched(
          choice_option("warm_up", "usual",
                        "usual, or double: twice the activations, so that passes hide messages",
                        {"usual", "double"}))});
}

}  // namespace stepcast
