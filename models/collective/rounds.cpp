#include "models/collective/rounds.hpp"

#include <utility>

#include "models/collective/links.hpp"

namespace stepcast {

Seconds cost_of_rounds(std::span<const Round> rounds, const Cluster& cluster) {
  LinkLoads loads(cluster);
  Seconds total;
  for (const Round& round : rounds)
    total += loads.round_time(round.messages) * round.repeat;
  return total;
}

std::vector<Phase> phases_of_rounds(std::vector<Round> rounds, const Cluster& cluster) {
  LinkLoads loads(cluster);
  std::vector<Phase> phases;
  for (Round& round : rounds) {
    const Seconds cost = loads.round_time(round.messages) * round.repeat;
    for (Message& message : round.messages)
      message.size = message.size * round.repeat;
    const Seconds transfer = loads.transfer_time(round.messages);
    phases.push_back(phase_of(std::move(round.messages), cost, transfer));
  }
  return phases;
}

}  // namespace stepcast
