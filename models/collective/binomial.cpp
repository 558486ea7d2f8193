#include <algorithm>
#include <bit>
#include <utility>

#include "models/collective/algorithms.hpp"

// Binomial tree. Members are numbered from the root; in round t of a reduce (from 0) every member
// whose number is an odd multiple of 2^t sends the whole buffer to the one 2^t before it. A
// broadcast is the same backwards. Both take ceil(log2 P) rounds for any P: a member whose partner
// would be beyond the end has nothing to do in that round. With P = 2^h on equal, unshared links
// that is h (startup + M/B).
//
// Rounds wait for each other. All messages are of one size: exact where they have equal start-ups
// in each round, else an upper bound.

namespace stepcast::binomial {
namespace {

std::vector<Round> reduce_rounds(const Collective& collective, const Group& group) {
  const std::uint32_t ranks = group.size();
  const auto rank_at = [&](std::uint32_t member) {
    return group.ranks[(collective.root + member) % ranks];
  };
  std::vector<Round> rounds;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    Round& round = rounds.emplace_back();
    for (std::uint32_t member = distance; member < ranks; member += 2 * distance)
      round.messages.push_back({rank_at(member), rank_at(member - distance), collective.size});
  }
  return rounds;
}

void reverse(std::vector<Round>& rounds) {
  std::ranges::reverse(rounds);
  for (Round& round : rounds)
    for (Message& message : round.messages)
      std::swap(message.from, message.to);
}

}  // namespace

StepPlan step_plan(const Collective& collective, const Group& group) {
  StepPlan plan{.rounds = reduce_rounds(collective, group), .barrier = true};
  if (collective.kind == CollectiveKind::Broadcast)
    reverse(plan.rounds);
  return plan;
}

}  // namespace stepcast::binomial
