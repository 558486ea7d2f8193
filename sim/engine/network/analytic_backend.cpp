#include "sim/engine/network/analytic_backend.hpp"

#include <utility>

// Folded groups cost nothing here: one of them is asked for its time, and what its team's other
// groups take of its links is part of that time, whether they are simulated or not. A group that
// comes late is charged for company that it no longer has; `flow` sees who is on a link.

namespace stepcast {

Seconds AnalyticBackend::cost(const Collective& collective, const Participants& participants) {
  auto known = sharing_.find(participants.team);
  if (known == sharing_.end())
    known = sharing_.emplace(participants.team, sharing_of(*participants.team, cluster_)).first;
  return cost_in_team(collective, participants.representative(),
                      known->second[participants.groups.front()], cluster_);
}

void AnalyticBackend::start(const Collective& collective, const Participants& participants,
                            Seconds delay, Done done) {
  if (participants.id == kNone) {
    const Seconds time = cost_of(collective, participants.representative(), cluster_);
    return queue_.after(delay + time, std::move(done));
  }
  const Key key{collective.kind, collective.algorithm, collective.size.value, collective.shares,
                participants.id};
  auto known = costs_.find(key);
  if (known == costs_.end())
    known = costs_.emplace(key, cost(collective, participants)).first;
  queue_.after(delay + known->second, std::move(done));
}

}  // namespace stepcast
