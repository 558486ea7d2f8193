#include "sim/engine/engine.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/log.hpp"
#include "sim/engine/replayer.hpp"
#include "sim/engine/simgrid_compat.hpp"

namespace stepcast {

Timeline simulate(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  if (plan.graph.size() == 0)
    throw InputError(plan.schedule + ": the plan has no tasks");
  simgrid_compat::ensure_engine();
  simgrid_compat::reset_clock();
  const Timeline timeline = Replayer(plan, cluster, options).run();
  if (log::shows_debug())
    log::debug(fmt::format("{} on {}, {}: {} ranks in {} classes, {} tasks, {} after {} iterations",
                           plan.schedule, cluster.name, name_of(options.fidelity), cluster.ranks(),
                           timeline.classes.size(), plan.graph.size(),
                           timeline.steady ? "steady" : "not steady", timeline.iterations));
  return timeline;
}

const char* name_of(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::Analytic:
      return "analytic";
    case Fidelity::Flow:
      return "flow";
    case Fidelity::Step:
      return "step";
  }
  return "";
}

}  // namespace stepcast
