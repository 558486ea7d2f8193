#include "traces/replay/rank_alignment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

std::vector<const RecordedTask*> collectives_of(const RecordedStep& step) {
  std::vector<const RecordedTask*> collectives;
  for (const RecordedTask& task : step.tasks)
    if (task.kind == RecordedKind::Collective)
      collectives.push_back(&task);
  return collectives;
}

bool are_the_same(const RecordedTask& a, const RecordedTask& b) {
  return a.collective == b.collective && a.size == b.size;
}

}  // namespace

void take_shortest_collectives(std::vector<RecordedStep>& steps,
                               const std::vector<RecordedStep>& other_rank,
                               const std::string& origin) {
  if (steps.size() != other_rank.size())
    throw InputError(fmt::format("{}: no rank of the same job: {} steps, not {}", origin,
                                 other_rank.size(), steps.size()));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto others = collectives_of(other_rank[i]);
    auto other = others.begin();
    for (RecordedTask& task : steps[i].tasks) {
      if (task.kind != RecordedKind::Collective)
        continue;
      if (other == others.end() || !are_the_same(task, **other))
        throw InputError(fmt::format("{}: no rank of the same job: {}: other collectives", origin,
                                     steps[i].name));
      task.duration = std::min(task.duration, (*other++)->duration);
    }
    if (other != others.end())
      throw InputError(
          fmt::format("{}: no rank of the same job: {}: more collectives", origin, steps[i].name));
  }
}

}  // namespace stepcast
