#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/passes/orders.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;

// Writes the passes of one rank in the eight steps of its authors' program (deepseek-ai/DualPipe,
// dualpipe/dualpipe.py), as published; not compared with a run of that program. "Near"
// micro-batches begin at the nearer end of the pipeline, "far" ones at the other; a rank of the
// second half does what its mirror image does, the other way round.
class RankOfDual {
 public:
  RankOfDual(Count stages, Count stage, Count micro_batches)
      : stages_(stages),
        to_end_(std::min(stage, stages - 1 - stage)),
        near_(stage < stages / 2 ? 0 : 1),
        each_(micro_batches / 2) {}

  std::vector<PipelinePass> passes() && {
    const Count to_middle = stages_ / 2 - to_end_ - 1;
    warm_up(to_middle);
    const Count steady = each_ - stages_ + to_end_ + 1;
    for (Count k = 0; k < steady; ++k) {
      pair(near_, far(), k > 0 || to_middle > 0);
      pair(far(), near_, true);
    }
    for (Count k = 0; k < to_middle; ++k) {
      backward(far());
      pair(far(), near_, true);
    }
    cool_down(to_middle);
    return std::move(passes_);
  }

 private:
  Count far() const { return 1 - near_; }

  void warm_up(Count to_middle) {
    for (Count k = 0; k < 2 * to_middle; ++k)
      forward(near_);
    for (Count k = 0; k < to_end_ + 1; ++k) {
      forward(near_);
      forward(far());
    }
    for (Count k = 0; k < to_middle; ++k) {
      input(far());
      weight();
      forward(far());
    }
  }

  // From the middle of its backward passes on, weight gradients are kept for the end.
  void cool_down(Count to_middle) {
    const Count passes = 2 * (to_end_ + 1);
    for (Count k = 0; k < passes; ++k) {
      const Count chunk = k % 2 == 0 ? far() : near_;
      if (k < to_end_ + 1)
        backward(chunk);
      else
        input(chunk);
    }
    for (Count k = 0; k < to_middle; ++k) {
      weight();
      input(near_);
    }
    while (!late_.empty())
      weight();
  }

  void add(PassKind kind, Count chunk, Count micro_batch, bool paired = false) {
    passes_.push_back({.kind = kind,
                       .micro_batch = micro_batch + chunk * each_,
                       .chunk = chunk,
                       .paired = paired});
  }

  void forward(Count chunk, bool paired = false) {
    add(PassKind::Forward, chunk, forward_[chunk]++, paired);
  }
  void backward(Count chunk) { add(PassKind::Backward, chunk, backward_[chunk]++); }
  void pair(Count forward_chunk, Count backward_chunk, bool paired) {
    forward(forward_chunk, paired);
    backward(backward_chunk);
  }
  void input(Count chunk) {
    late_.push_back({.kind = PassKind::WeightGradient,
                     .micro_batch = backward_[chunk] + chunk * each_,
                     .chunk = chunk});
    add(PassKind::InputGradient, chunk, backward_[chunk]++);
  }
  void weight() {
    passes_.push_back(late_.front());
    late_.pop_front();
  }

  Count stages_;
  Count to_end_;  // stages to the nearer end
  Count near_;    // the chunk whose micro-batches begin there
  Count each_;    // micro-batches of a direction
  std::array<Count, 2> forward_{}, backward_{};
  std::deque<PipelinePass> late_;  // weight gradients
  std::vector<PipelinePass> passes_;
};

// Half of the micro-batches go through the stages from the last to the first, so that each rank
// holds two parts, and a forward pass of one direction is interleaved with a backward pass of the
// other: p + 1 activations, a bubble of (p/2 - 1)(FB + B - 3W) with FB of an interleaved pair, B of
// a whole backward pass and W of its weight gradients.
PipelineOrder dualpipe_order(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  if (stages % 2 != 0)
    throw InputError(
        fmt::format("dualpipe: pp: expected an even number of stages, found {}", stages));
  if (micro_batches % 2 != 0 || micro_batches < 2 * stages)
    throw InputError(fmt::format(
        "dualpipe: global_batch: expected an even number of micro-batches, two for each "
        "of {} stages at least, found {}",
        stages, micro_batches));
  PipelineOrder order{.name = "dualpipe",
                      .stages = stages,
                      .chunks = 2,
                      .micro_batches = micro_batches,
                      .both_ways = true};
  for (Count stage = 0; stage < stages; ++stage)
    order.ranks.push_back(RankOfDual(stages, stage, micro_batches).passes());
  return order;
}

}  // namespace

ScheduleInfo dualpipe_schedule() {
  return passes_schedule(
      "dualpipe", "micro-batches from both ends, passes of both ways interleaved; weights twice",
      "DeepSeek-AI, DeepSeek-V3, 2024",
      {.order = dualpipe_order, .holds_twice = true, .chunks = 2});
}

}  // namespace stepcast
