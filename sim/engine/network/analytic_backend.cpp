#include "sim/engine/network/analytic_backend.hpp"

#include <utility>

namespace stepcast {

void AnalyticBackend::start(const Collective& collective, const Group& group, Seconds delay,
                            Done done) {
  const Key key{collective.kind, collective.algorithm, collective.size.value, collective.shares,
                &group};
  auto known = costs_.find(key);
  if (known == costs_.end())
    known = costs_.emplace(key, cost_of(collective, group, cluster_)).first;
  queue_.after(delay + known->second, std::move(done));
}

}  // namespace stepcast
