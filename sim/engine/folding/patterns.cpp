#include "sim/engine/folding/patterns.hpp"

namespace stepcast {

std::map<Pattern, Collective> patterns_of(const Plan& plan) {
  std::map<Pattern, Collective> patterns;
  for (const Task& task : plan.graph.tasks()) {
    if (task.kind != TaskKind::Communication)
      continue;
    const Collective& each = plan.collectives[task.collective].collective;
    const double deciding = each.algorithm == Algorithm::Nccl ? each.size.value : 0;
    const auto [known, is_new] = patterns.try_emplace(
        {task.team, each.kind, each.algorithm, each.root, each.shares, deciding}, each);
    if (!is_new && known->second.size < each.size)
      known->second = each;
  }
  return patterns;
}

}  // namespace stepcast
