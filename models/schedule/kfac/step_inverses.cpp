#include <numeric>
#include <utility>

#include "models/schedule/kfac/step.hpp"

// Inverses: who computes them, and how the others get them.

namespace stepcast::kfac {

void Step::invert(std::size_t factor, Rank owner) {
  if (!parts_.inverse_computation)
    return;
  const TeamId group = owner_group(owner);
  builder_.compute(kInverse, factors_[factor].name, factors_[factor].inversion, {.team = group});
  kept_inverses_.add(members_[group], factor);
}

void Step::broadcast_inverses(InversesInFlight& in_flight, std::span<const std::size_t> factors,
                              Rank owner, TeamId group) {
  if (parts_.inverse_communication)
    send_inverses(in_flight, factors, owner, group,
                  pack(factors, group == 0 ? TeamId{0} : owner_group(owner)));
}

void Step::broadcast_inverses_in_bulk(InversesInFlight& in_flight, std::span<const Rank> owners) {
  if (!parts_.inverse_communication)
    return;
  std::vector<std::size_t> all(factors_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const TaskId packed = pack(all, 0);
  for (const std::size_t factor : all)
    send_inverses(in_flight, {&factor, 1}, owners[factor], 0, packed);
}

void Step::send_inverses(InversesInFlight& in_flight, std::span<const std::size_t> factors,
                         Rank owner, TeamId group, TaskId packed) {
  CommunicationOptions options = broadcast_options(kInverseCommunication, owner, group);
  options.after = group == 0 ? std::vector{packed} : and_all_before(packed);
  InversesInFlight::Sent sent{
      .task = builder_.broadcast("inverse of " + name_of(factors), size_of(factors), options),
      .group = group};
  for (const std::size_t factor : factors) {
    sent.unpacking += factors_[factor].unpacking;
    kept_inverses_.add(members_[group], factor);
  }
  in_flight.sent.push_back(sent);
}

void Step::wait(InversesInFlight& in_flight) {
  if (parts_.inverse_computation && !parts_.inverse_communication)
    barrier();
  for (const InversesInFlight::Sent& sent : std::exchange(in_flight.sent, {}))
    builder_.compute(kUnpacking, "inverse", sent.unpacking,
                     {.team = sent.group, .after = {sent.task}});
}

void Step::barrier() {
  CommunicationOptions options = all_reduce_options(kInverseCommunication, false);
  options.after = {builder_.compute(kInverse, "all factors", {})};
  Pending all{kInverse, "all factors"};
  all.add(builder_.all_reduce("inverse of barrier", kScalar, options));
  wait(all);
}

}  // namespace stepcast::kfac
