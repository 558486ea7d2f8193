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

std::vector<PipelinePass> with_late_weights(const std::vector<PipelinePass>& alternating,
                                            std::uint32_t micro_batches, std::uint32_t late) {
  std::vector<PipelinePass> passes;
  std::uint32_t done = 0;  // weight gradients
  for (const PipelinePass& pass : alternating) {
    if (pass.kind == PassKind::Forward) {
      passes.push_back(pass);
      continue;
    }
    passes.push_back(plain_pass(PassKind::InputGradient, pass.micro_batch));
    if (pass.micro_batch >= late)
      passes.push_back(plain_pass(PassKind::WeightGradient, done++));
  }
  while (done < micro_batches)
    passes.push_back(plain_pass(PassKind::WeightGradient, done++));
  return passes;
}

const char* megatron_order(bool several_parts) {
  return several_parts ? "interleaved" : "1f1b";
}

const char* recorded_order(bool several_parts, bool alternates) {
  return alternates ? megatron_order(several_parts) : "gpipe";
}

}  // namespace stepcast
