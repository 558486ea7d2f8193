#include "models/schedule/model_parallel/pipeline_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;

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
