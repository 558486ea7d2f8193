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
                               const std::string& origin, const std::string& first) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: expected the {} of {}, found others: no ranks of one job",
                                 origin, what, first));
  };
  if (steps.size() != other_rank.size())
    refuse("steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto others = collectives_of(other_rank[i]);
    auto other = others.begin();
    for (RecordedTask& task : steps[i].tasks) {
      if (task.kind != RecordedKind::Collective)
        continue;
      if (other == others.end() || !are_the_same(task, **other))
        refuse(fmt::format("collectives in {}", steps[i].name));
      task.duration = std::min(task.duration, (*other++)->duration);
    }
    if (other != others.end())
      refuse(fmt::format("collectives in {}", steps[i].name));
  }
}

}  // namespace stepcast
