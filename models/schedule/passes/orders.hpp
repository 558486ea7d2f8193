#pragma once
// What the orders of passes are made of. Each order is a page beside this one and a line in
// list/schedules.inc.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/model_parallel/pipeline_order.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// A schedule of passes with the options of layouts, jobs, exchanges and messages, and its own.
ScheduleInfo passes_schedule(const char* name, const char* summary, const char* source,
                             PassesInfo passes, std::vector<OptionInfo> own = {});

/// An order whose stages do nothing yet.
PipelineOrder empty_order(const char* name, std::uint32_t stages, std::uint32_t micro_batches,
                          std::uint32_t chunks = 1);

/// A pass of a rank that holds one part of the model.
PipelinePass plain_pass(PassKind kind, std::uint32_t micro_batch);

/// One forward and one backward pass in turn behind `ahead` forward passes, `total` of each.
/// `pass(kind, k)` is the k-th pass of a kind.
template <class Pass>
std::vector<PipelinePass> alternating(std::uint32_t total, std::uint32_t ahead, Pass pass) {
  std::vector<PipelinePass> passes;
  ahead = std::min(ahead, total);
  for (std::uint32_t k = 0; k < ahead; ++k)
    passes.push_back(pass(PassKind::Forward, k));
  for (std::uint32_t k = 0; k < total; ++k) {
    if (k + ahead < total)
      passes.push_back(pass(PassKind::Forward, k + ahead));
    passes.push_back(pass(PassKind::Backward, k));
  }
  return passes;
}

/// Returns 1F1B under another name: one forward and one backward pass in turn behind a warm-up of
/// `times` * (p - 1 - i) forward passes on stage i of p.
PipelineOrder alternating_order(const char* name, std::uint32_t stages, std::uint32_t micro_batches,
                                std::uint32_t times);

/// Returns that order with weight gradients apart: input gradients stand in place of its backward
/// passes. After each come, on stage i, the weight gradients of the micro-batch that came `times` *
/// i earlier, so that each stage keeps as many back.
PipelineOrder with_late_weights(PipelineOrder alternating, std::uint32_t times);

/// The schedule that Megatron-LM runs: its interleaved form for several parts of the model on a
/// rank.
const char* megatron_order(bool several_parts);

/// The schedule that a recorded job ran: all forward passes first where its last stage began no
/// backward pass among its forward ones, or else what Megatron-LM runs.
const char* recorded_order(bool several_parts, bool alternates);

}  // namespace stepcast
