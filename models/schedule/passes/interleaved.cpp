#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/options.hpp"
#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

constexpr const char* kVirtualStages = "virtual_stages";

// The k-th pass of an interleaved rank: groups of p micro-batches go through its chunks in turn.
PipelinePass interleaved_pass(PassKind kind, std::uint32_t k, std::uint32_t stages,
                              std::uint32_t chunks) {
  const std::uint32_t group = stages * chunks;
  const std::uint32_t chunk = k % group / stages;
  return {.kind = kind,
          .micro_batch = stages * (k / group) + k % stages,
          .chunk = kind == PassKind::Forward ? chunk : chunks - 1 - chunk};
}

// 1F1B over several parts of the model on each rank (section 2.2).
PipelineOrder interleaved_order(const HybridReader& options, std::uint32_t stages,
                                std::uint32_t micro_batches) {
  const std::uint32_t chunks = options.read.count(kVirtualStages);
  if (micro_batches % stages != 0)
    throw InputError(fmt::format(
        "interleaved: expected a number of micro-batches that the {} stages divide, found {}",
        stages, micro_batches));
  PipelineOrder order = empty_order("interleaved", stages, micro_batches, chunks);
  const auto pass = [&](PassKind kind, std::uint32_t k) {
    return interleaved_pass(kind, k, stages, chunks);
  };
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t ahead = 2 * (stages - 1 - stage) + (chunks - 1) * stages;
    order.ranks[stage] = alternating(micro_batches * chunks, ahead, pass);
  }
  return order;
}

}  // namespace

ScheduleInfo interleaved_schedule() {
  return passes_schedule("interleaved", "1f1b over several parts of the model on each rank",
                         "Narayanan et al., SC 2021",
                         {.order = interleaved_order, .chunks = 2, .chunks_option = kVirtualStages},
                         {count_option(kVirtualStages, "2", "parts of the model on each rank",
                                       {.least = 1, .most = 1024})});
}

}  // namespace stepcast
