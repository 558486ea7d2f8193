#include "models/schedule/passes/orders.hpp"

#include <iterator>
#include <utility>

namespace stepcast {

ScheduleInfo passes_schedule(const char* name, const char* summary, const char* source,
                             PassesInfo passes, std::vector<OptionInfo> own) {
  ScheduleInfo info{.name = name,
                    .summary = summary,
                    .source = source,
                    .options = hybrid_options(),
                    .passes = std::move(passes)};
  std::ranges::move(own, std::back_inserter(info.options));
  return info;
}

PipelineOrder empty_order(const char* name, std::uint32_t stages, std::uint32_t micro_batches,
                          std::uint32_t chunks) {
  return {.name = name,
          .stages = stages,
          .chunks = chunks,
          .micro_batches = micro_batches,
          .ranks = std::vector<std::vector<PipelinePass>>(stages)};
}

PipelinePass plain_pass(PassKind kind, std::uint32_t micro_batch) {
  return {.kind = kind, .micro_batch = micro_batch};
}

PipelineOrder alternating_order(const char* name, std::uint32_t stages, std::uint32_t micro_batches,
                                std::uint32_t times) {
  PipelineOrder order = empty_order(name, stages, micro_batches);
  for (std::uint32_t stage = 0; stage < stages; ++stage)
    order.ranks[stage] = alternating(micro_batches, (stages - 1 - stage) * times, plain_pass);
  return order;
}

PipelineOrder with_late_weights(PipelineOrder alternating, std::uint32_t times) {
  for (std::uint32_t stage = 0; stage < alternating.stages; ++stage) {
    std::uint32_t done = 0;  // weight gradients
    for (const PipelinePass& pass : std::exchange(alternating.ranks[stage], {})) {
      std::vector<PipelinePass>& passes = alternating.ranks[stage];
      if (pass.kind == PassKind::Forward) {
        passes.push_back(pass);
        continue;
      }
      passes.push_back(plain_pass(PassKind::InputGradient, pass.micro_batch));
      if (pass.micro_batch >= stage * times)
        passes.push_back(plain_pass(PassKind::WeightGradient, done++));
    }
    while (done < alternating.micro_batches)
      alternating.ranks[stage].push_back(plain_pass(PassKind::WeightGradient, done++));
  }
  return alternating;
}

const char* megatron_order(bool several_parts) {
  return several_parts ? "interleaved" : "1f1b";
}

const char* recorded_order(bool several_parts, bool alternates) {
  return alternates ? megatron_order(several_parts) : "gpipe";
}

}  // namespace stepcast
