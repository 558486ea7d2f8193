#include <numeric>
#include <utility>

#include "models/schedule/kfac/step.hpp"

// Inverses: who computes them, and how the others get them.

namespace stepcast::kfac {

void Step::invert(std::size_t factor, Rank owner) {
  if (!parts_.inverse_computation)
    return;
  const TeamId group = owner_group(owner);
  if (const auto reduced = reduced_.find(owner); reduced != reduced_.end()) {
    const Reduced received = std::exchange(reduced->second, {});
    if (!received.tasks.empty())
      builder_.after(builder_.compute("unpacking of factors", received.unpacking, group),
                     received.tasks);
  }
  const TaskId task =
      builder_.compute("inverse of " + factors_[factor].name, factors_[factor].inversion, group);
  kept_inverses_.add(members_[group], factor);
  if (owner == kEveryRank)
    latest_everywhere_ = task;
  barrier_due_ = !parts_.inverse_communication;
}

void Step::broadcast_inverses(std::span<const std::size_t> factors, Rank owner, TeamId group) {
  if (parts_.inverse_communication)
    send_inverses(factors, owner, group,
                  pack(factors, group == 0 ? TeamId{0} : owner_group(owner)));
}

void Step::broadcast_inverses_in_bulk(std::span<const Rank> owners) {
  if (!parts_.inverse_communication)
    return;
  std::vector<std::size_t> all(factors_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const TaskId packed = pack(all, 0);
  for (const std::size_t factor : all)
    send_inverses({&factor, 1}, owners[factor], 0, packed);
}

void Step::send_inverses(std::span<const std::size_t> factors, Rank owner, TeamId group,
                         TaskId packed) {
  const TaskId task = builder_.broadcast("inverse of " + name_of(factors), size_of(factors),
                                         broadcast_options(owner, group));
  builder_.after(task, {packed});
  if (group != 0 && latest_everywhere_ != kNone)
    builder_.after(task, {latest_everywhere_});
  Sent sent{.task = task, .group = group};
  for (const std::size_t factor : factors) {
    sent.unpacking += factors_[factor].unpacking;
    kept_inverses_.add(members_[group], factor);
  }
  inverses_in_flight_.push_back(sent);
}

// One is unpacked while the next is on its way.
void Step::wait_for_inverses() {
  barrier();
  for (const Sent& sent : std::exchange(inverses_in_flight_, {})) {
    const TaskId unpacked = builder_.compute("unpacking of inverse", sent.unpacking, sent.group);
    builder_.after(unpacked, {sent.task});
    if (sent.group == 0)
      latest_everywhere_ = unpacked;
  }
}

// Where the protocol of the authors leaves out only the communication of inverses, all ranks wait
// for the slowest.
void Step::barrier() {
  if (!std::exchange(barrier_due_, false))
    return;
  const TaskId done = builder_.compute("inverse of all factors", {});
  CommunicationOptions options = all_reduce_options();
  options.fusable = false;
  const TaskId task = builder_.all_reduce("inverse of barrier", kScalar, options);
  builder_.after(task, {done});
  std::vector<TaskId> pending{task};
  wait("inverse of all factors", pending);
}

}  // namespace stepcast::kfac
