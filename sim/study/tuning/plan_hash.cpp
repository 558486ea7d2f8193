#include "sim/study/tuning/plan_hash.hpp"

#include <bit>
#include <concepts>

namespace stepcast {
namespace {

class Hasher {
 public:
  void add(std::integral auto number) { mix(static_cast<std::uint64_t>(number)); }
  void add(double number) { mix(std::bit_cast<std::uint64_t>(number)); }
  template <class Tag>
  void add(Quantity<Tag> quantity) {
    add(quantity.value);
  }
  std::uint64_t result() const { return hash_; }

 private:
  void mix(std::uint64_t number) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ (number & 0xFFU)) * kPrime;
      number >>= 8U;
    }
  }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

void add(Hasher& hasher, const InOrder& /*rule*/) {
  hasher.add(1);
}

void add(Hasher& hasher, const ByPriority& rule) {
  hasher.add(2);
  hasher.add(rule.credit);
}

void add(Hasher& hasher, const Negotiated& rule) {
  hasher.add(3);
  hasher.add(rule.cycle);
  hasher.add(rule.per_cycle);
  hasher.add(rule.per_tensor);
  hasher.add(rule.fusion);
}

void add(Hasher& hasher, const PlannedCollective& planned) {
  hasher.add(static_cast<int>(planned.collective.kind));
  hasher.add(static_cast<int>(planned.collective.algorithm));
  hasher.add(planned.collective.size);
  hasher.add(planned.collective.root);
  for (const double share : planned.collective.shares)
    hasher.add(share);
  hasher.add(planned.priority);
}

void add(Hasher& hasher, const TaskGraph& graph) {
  for (TaskId id = 0; id < graph.size(); ++id) {
    const Task& task = graph.task(id);
    hasher.add(static_cast<int>(task.kind));
    hasher.add(task.stream);
    hasher.add(task.team);
    hasher.add(task.collective);
    hasher.add(task.duration);
    graph.for_each_successor(id, [&](TaskId successor) { hasher.add(successor); });
  }
}

}  // namespace

std::uint64_t hash_of(const Plan& plan) {
  Hasher hasher;
  add(hasher, plan.graph);
  for (const auto& [from, to] : plan.next) {
    hasher.add(from);
    hasher.add(to);
  }
  for (const Stream& stream : plan.streams)
    std::visit([&](const auto& rule) { add(hasher, rule); }, stream.rule);
  for (const PlannedCollective& planned : plan.collectives)
    add(hasher, planned);
  for (const LaterEdge& edge : plan.later) {
    hasher.add(edge.before);
    hasher.add(edge.after);
    hasher.add(edge.iterations);
  }
  for (const Quorum& quorum : plan.quorums) {
    hasher.add(quorum.task);
    hasher.add(quorum.needed);
  }
  for (const Team& team : plan.teams) {
    hasher.add(team.group_size());
    for (const Group& group : team.groups)
      for (const Rank rank : group.ranks)
        hasher.add(rank);
  }
  return hasher.result();
}

}  // namespace stepcast
