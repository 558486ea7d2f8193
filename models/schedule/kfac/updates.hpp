#pragma once

#include <vector>

#include "models/schedule/options.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast::kfac {

/// The options "update", "factor_interval" and "inverse_interval".
std::vector<OptionInfo> update_options();

/// Writes the plan of one training step.
using BuildStep = Plan (*)(const Workload&, const Cluster&, const OptionReader&);

/// The plan of a period of inverse_interval training steps: the first renews factors and inverses,
/// every factor_interval-th the factors, the others neither. Throws InputError if the factors'
/// interval does not divide that of the inverses.
Plan build_period(BuildStep build, const Workload& workload, const Cluster& cluster,
                  const OptionReader& read);

/// What a K-FAC system gives the registry for the steps that it writes.
template <BuildStep build>
Plan in_periods(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return build_period(build, workload, cluster, read);
}

}  // namespace stepcast::kfac
