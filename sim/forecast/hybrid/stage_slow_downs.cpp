#include "sim/forecast/hybrid/stage_slow_downs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// A recorded rank whose factor counts so much.
struct Share {
  std::size_t rank = 0;
  double weight = 0;
};

using RanksOfStages = std::vector<std::vector<std::size_t>>;  // recorded, by stage

RanksOfStages ranks_of_stages(const SlowDown::Recorded& law, std::uint32_t stages) {
  RanksOfStages ranks(stages);
  for (std::size_t rank = 0; rank < law.stages.size(); ++rank)
    if (law.stages[rank] < stages)
      ranks[law.stages[rank]].push_back(rank);
  const bool complete = std::ranges::none_of(ranks, &std::vector<std::size_t>::empty);
  if (!complete || *std::ranges::max_element(law.stages) + 1 != stages)
    throw InputError(
        fmt::format("`slow` recorded: expected ranks of each of {} stages, as the "
                    "workload was recorded in, found {}",
                    stages, *std::ranges::max_element(law.stages) + 1));
  return ranks;
}

std::vector<Share> shares_of(const HybridJob& job, std::uint32_t stage, std::size_t copy,
                             const RanksOfStages& recorded) {
  std::vector<Share> shares;
  double sum = 0;
  for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
    const std::uint32_t part = part_of(job.order, stage, chunk);
    for (std::size_t unit = job.first_unit[part]; unit < job.first_unit[part + 1]; ++unit) {
      const PartTimes& time = job.units[unit].compute;
      const auto& ranks = recorded[unit % recorded.size()];
      shares.push_back(
          {.rank = ranks[copy % ranks.size()],
           .weight = (time.forward + time.input_gradient + time.weight_gradient).value});
      sum += shares.back().weight;
    }
  }
  for (Share& share : shares)
    share.weight = sum > 0 ? share.weight / sum : 1.0 / static_cast<double>(shares.size());
  return shares;
}

/// With which recorded copies the first one may begin. Where each recorded one stands for as many,
/// it is always the first; else all in turn, since the workload holds the mean of all.
std::size_t first_copies(const RanksOfStages& recorded, std::uint32_t copies) {
  std::size_t first = 1;
  for (const std::vector<std::size_t>& ranks : recorded)
    if (copies % ranks.size() != 0)
      first = std::max(first, ranks.size());
  return first;
}

std::vector<double> factors_of(const std::vector<std::vector<Share>>& shares,
                               const std::vector<double>& step) {
  std::vector<double> factors;
  for (const std::vector<Share>& of : shares) {
    double factor = 0;
    for (const Share& share : of)
      factor += share.weight * step[share.rank];
    factors.push_back(factor);
  }
  return factors;
}

SlowDown::Recorded on_ranks(const SlowDown::Recorded& law, const HybridJob& job,
                            std::uint32_t stages) {
  const RanksOfStages recorded = ranks_of_stages(law, stages);
  const ParallelLayout& layout = job.layout;
  SlowDown::Recorded placed{.steps = {}, .origin = law.origin};
  for (std::size_t first = 0; first < first_copies(recorded, layout.data); ++first) {
    std::vector<std::vector<Share>> shares;
    for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank)
      shares.push_back(shares_of(
          job, layout.stage_of(rank),
          first + rank % layout.stage_ranks() / (layout.tensor * layout.context), recorded));
    for (const std::vector<double>& step : law.steps)
      placed.steps.push_back(factors_of(shares, step));
  }
  return placed;
}

}  // namespace

EngineOptions engine_of(const ScheduledJob& job, const HybridJob& planned) {
  EngineOptions engine = job.engine;
  for (SlowDown::Law& law : engine.slow_down.laws)
    if (auto* recorded = std::get_if<SlowDown::Recorded>(&law);
        recorded != nullptr && job.workload.pipeline && !recorded->stages.empty())
      *recorded = on_ranks(*recorded, planned, job.workload.pipeline->stages);
  return engine;
}

}  // namespace stepcast
