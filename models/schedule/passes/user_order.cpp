#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/options.hpp"
#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

PipelineOrder user_order(const HybridReader& options, std::uint32_t stages,
                         std::uint32_t micro_batches) {
  PipelineOrder order = parse_order(options.read.text("order"));
  if (order.stages != stages)
    throw InputError(fmt::format("order: expected a line for each of {} stages (pp), found {}",
                                 stages, order.stages));
  if (!options.read.is("global_batch", "auto") && order.micro_batches != micro_batches)
    throw InputError(fmt::format("order: expected {} micro-batches (global_batch), found {}",
                                 micro_batches, order.micro_batches));
  // A cycle is found here, before tasks are made of it.
  walk(order, std::vector<PartTimes>(order.parts()));
  return order;
}

}  // namespace

ScheduleInfo pipeline_schedule() {
  return passes_schedule(
      "pipeline", "pipeline in an order of your own", "", {.order = user_order, .of_user = true},
      {text_option("order", "missing",
                   "a line for each stage, its passes as in F0 F1 B0 B1; @FILE reads them", {})});
}

}  // namespace stepcast
