#include "models/schedule/model_parallel/pipeline_order.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;
using Passes = std::vector<PipelinePass>;

PipelineOrder empty_order(const char* name, Count stages, Count micro_batches, Count chunks = 1) {
  return {.name = name,
          .stages = stages,
          .chunks = chunks,
          .micro_batches = micro_batches,
          .ranks = std::vector<Passes>(stages)};
}

// The k-th pass of an interleaved rank: groups of p micro-batches go through its chunks in turn.
PipelinePass interleaved_pass(PassKind kind, Count k, Count stages, Count chunks) {
  const Count group = stages * chunks;
  const Count chunk = k % group / stages;
  return {.kind = kind,
          .micro_batch = stages * (k / group) + k % stages,
          .chunk = kind == PassKind::Forward ? chunk : chunks - 1 - chunk};
}

// 1F1B on one rank whose warm-up is `ahead` forward passes.
template <class Pass>
Passes alternating(Count total, Count ahead, Pass pass) {
  Passes passes;
  ahead = std::min(ahead, total);
  for (Count k = 0; k < ahead; ++k)
    passes.push_back(pass(PassKind::Forward, k));
  for (Count k = 0; k < total; ++k) {
    if (k + ahead < total)
      passes.push_back(pass(PassKind::Forward, k + ahead));
    passes.push_back(pass(PassKind::Backward, k));
  }
  return passes;
}

PipelinePass plain_pass(PassKind kind, Count micro_batch) {
  return {.kind = kind, .micro_batch = micro_batch};
}

// Input gradients where 1F1B has backward passes; weight gradients behind them, `late` of them
// later.
Passes with_late_weights(const Passes& alternating, Count micro_batches, Count late) {
  Passes passes;
  Count done = 0;  // weight gradients
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

/// Writes the passes of one rank of a V; counts those of each kind and part.
class RankOfV {
 public:
  explicit RankOfV(Count micro_batches) : micro_batches_(micro_batches) {}

  void forward(Count chunk) { add(PassKind::Forward, chunk, forward_[chunk]++); }
  void input(Count chunk) { add(PassKind::InputGradient, chunk, input_[chunk]++); }
  void weight(Count chunk) { add(PassKind::WeightGradient, chunk, weight_[chunk]++); }
  void backward(Count chunk) {
    input(chunk);
    weight(chunk);
  }
  void late_weights(Count chunk) {
    while (weight_[chunk] < input_[chunk])
      weight(chunk);
  }

  Passes passes(Count stages, Count stage) && {
    const Count total = std::max(2 * stages - 1, micro_batches_);
    for (Count k = 0; k < 2 * (stages - stage) - 1; ++k)
      forward(0);
    for (Count k = 0; k < stage; ++k) {
      forward(1);
      forward(0);
    }
    for (Count k = 0; k < stages - stage; ++k) {
      forward(1);
      backward(1);
    }
    while (forward_[1] < forward_[0] || forward_[0] < total) {
      if (forward_[0] < total)
        forward(0);
      backward(0);
      forward(1);
      backward(1);
    }
    for (Count k = 0; k < stage; ++k) {
      input(0);
      input(1);
    }
    for (Count k = 0; k < stages - stage; ++k)
      backward(0);
    late_weights(1);
    late_weights(0);
    return std::move(passes_);
  }

 private:
  // The order is that of 2p - 1 micro-batches at least; of fewer the others are left out.
  void add(PassKind kind, Count chunk, Count micro_batch) {
    if (micro_batch < micro_batches_)
      passes_.push_back({.kind = kind, .micro_batch = micro_batch, .chunk = chunk});
  }

  Count micro_batches_;
  std::array<Count, 2> forward_{}, input_{}, weight_{};
  Passes passes_;
};

}  // namespace

std::uint32_t part_of(const PipelineOrder& order, std::uint32_t stage, std::uint32_t chunk) {
  if (order.both_ways)
    return chunk == 0 ? stage : order.stages - 1 - stage;
  const bool back = order.folded && chunk % 2 == 1;
  return chunk * order.stages + (back ? order.stages - 1 - stage : stage);
}

std::uint32_t stage_of(const PipelineOrder& order, std::uint32_t part, std::uint32_t chunk) {
  const Count place = part % order.stages;
  const bool back = order.both_ways ? chunk == 1 : order.folded && part / order.stages % 2 == 1;
  return back ? order.stages - 1 - place : place;
}

PipelineOrder gpipe_order(std::uint32_t stages, std::uint32_t micro_batches) {
  PipelineOrder order = empty_order("gpipe", stages, micro_batches);
  for (Passes& passes : order.ranks)
    passes = alternating(micro_batches, micro_batches, plain_pass);
  return order;
}

PipelineOrder one_forward_one_backward_order(std::uint32_t stages, std::uint32_t micro_batches,
                                             bool double_warm_up) {
  PipelineOrder order = empty_order("1f1b", stages, micro_batches);
  for (Count stage = 0; stage < stages; ++stage)
    order.ranks[stage] =
        alternating(micro_batches, (stages - 1 - stage) * (double_warm_up ? 2 : 1), plain_pass);
  return order;
}

PipelineOrder interleaved_order(std::uint32_t stages, std::uint32_t micro_batches,
                                std::uint32_t chunks) {
  if (micro_batches % stages != 0)
    throw InputError(fmt::format(
        "interleaved: expected a number of micro-batches that the {} stages divide, found {}",
        stages, micro_batches));
  PipelineOrder order = empty_order("interleaved", stages, micro_batches, chunks);
  const auto pass = [&](PassKind kind, Count k) {
    return interleaved_pass(kind, k, stages, chunks);
  };
  for (Count stage = 0; stage < stages; ++stage) {
    const Count ahead = 2 * (stages - 1 - stage) + (chunks - 1) * stages;
    order.ranks[stage] = alternating(micro_batches * chunks, ahead, pass);
  }
  return order;
}

PipelineOrder zb_h1_order(std::uint32_t stages, std::uint32_t micro_batches) {
  PipelineOrder order = empty_order("zb-h1", stages, micro_batches);
  for (Count stage = 0; stage < stages; ++stage)
    order.ranks[stage] = with_late_weights(
        alternating(micro_batches, stages - 1 - stage, plain_pass), micro_batches, stage);
  return order;
}

PipelineOrder zb_h2_order(std::uint32_t stages, std::uint32_t micro_batches) {
  PipelineOrder order = empty_order("zb-h2", stages, micro_batches);
  for (Count stage = 0; stage < stages; ++stage)
    order.ranks[stage] = with_late_weights(
        alternating(micro_batches, 2 * (stages - 1 - stage), plain_pass), micro_batches, 2 * stage);
  return order;
}

PipelineOrder zb_v_order(std::uint32_t stages, std::uint32_t micro_batches) {
  PipelineOrder order = empty_order("zb-v", stages, micro_batches, 2);
  order.folded = true;
  for (Count stage = 0; stage < stages; ++stage)
    order.ranks[stage] = RankOfV(micro_batches).passes(stages, stage);
  return order;
}

std::string describe(const PipelinePass& pass, bool with_chunk) {
  constexpr const char* kLetters = "FBIW";
  const std::string text =
      fmt::format("{}{}", kLetters[static_cast<std::size_t>(pass.kind)], pass.micro_batch);
  return with_chunk ? fmt::format("{}.{}", text, pass.chunk) : text;
}

void check_order(const PipelineOrder& order) {
  const std::size_t each = std::size_t{order.chunks} * order.micro_batches;
  for (Count stage = 0; stage < order.stages; ++stage) {
    if (order.ranks[stage].size() <
        (order.both_ways ? each : 2 * each))  // before there is room made for all of them
      throw InputError(
          fmt::format("order: stage {}: expected one F and one B (or I and W) of {} micro-batches "
                      "in {} parts, found {} passes",
                      stage, order.micro_batches, order.chunks, order.ranks[stage].size()));
    std::vector<int> forward(each), input(each), weight(each);
    for (const PipelinePass& pass : order.ranks[stage]) {
      const std::size_t place = std::size_t{pass.chunk} * order.micro_batches + pass.micro_batch;
      if (pass.kind == PassKind::Forward)
        ++forward[place];
      if (pass.kind == PassKind::Backward || pass.kind == PassKind::InputGradient)
        ++input[place];
      if (pass.kind == PassKind::Backward || pass.kind == PassKind::WeightGradient)
        ++weight[place];
    }
    for (std::size_t i = 0; i < each; ++i) {
      const bool is_second = i % order.micro_batches >= order.micro_batches / 2;
      const bool elsewhere = order.both_ways && is_second != (i >= order.micro_batches);
      const int times = elsewhere ? 0 : 1;
      if (forward[i] != times || input[i] != times || weight[i] != times)
        throw InputError(fmt::format(
            "order: stage {}: expected one F and one B (or I and W) of micro-batch {}{}, found {} "
            "and {} (I: {}, W: {})",
            stage, i % order.micro_batches,
            order.chunks > 1 ? fmt::format(" in part {}", i / order.micro_batches) : "", forward[i],
            std::min(input[i], weight[i]), input[i], weight[i]));
    }
  }
}

double most_held(const PipelineOrder& order, std::uint32_t stage,
                 const std::vector<double>& of_chunk) {
  double held = 0;
  double most = 0;
  for (const PipelinePass& pass : order.ranks[stage]) {
    if (pass.kind == PassKind::Forward)
      most = std::max(most, held += of_chunk[pass.chunk]);
    else if (pass.kind != PassKind::InputGradient)
      held -= of_chunk[pass.chunk];
  }
  return most;
}

}  // namespace stepcast
