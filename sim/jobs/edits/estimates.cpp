#include "sim/jobs/edits/estimates.hpp"

#include <set>

namespace stepcast {

bool pays_to_estimate(const Plan& plan, const EngineOptions& engine) {
  constexpr std::size_t kBothWays = 2;
  if (engine.fidelity == Fidelity::Analytic)
    return false;
  std::set<StreamId> streams;
  for (const Task& task : plan.graph.tasks())
    if (task.kind == TaskKind::Communication)
      streams.insert(task.stream);
  return streams.size() > kBothWays;
}

EngineOptions estimating(EngineOptions engine) {
  engine.fidelity = Fidelity::Analytic;
  return engine;
}

}  // namespace stepcast
