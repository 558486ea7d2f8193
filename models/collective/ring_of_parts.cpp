#include <algorithm>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/links.hpp"

// Ring all-gather of unequal parts m(0) .. m(P-1). In round r member i passes part (i - r) mod P on
// to member i+1. With t(e, r) the end of the message of edge e (from member e) in round r,
//   t(e, r) = max(t(e, r-1), t(e-1, r-1)) + startup(e) + m((e - r) mod P) / B(e),
// as a member has then sent and received its messages of the round before. The largest part goes
// over P-1 edges one after the other, so equal edges take (P-1) (startup + max m / B). Exact where
// no link is shared by several edges (consecutive ranks), else an upper bound. O(P^2).

namespace stepcast::ring {
namespace {

std::vector<Message> round_of(const std::vector<Bytes>& parts, const Group& group,
                              std::uint32_t number) {
  const std::uint32_t ranks = group.size();
  std::vector<Message> messages = edges_of(group, {});
  for (std::uint32_t i = 0; i < ranks; ++i)
    messages[i].size = parts[(i + ranks - number) % ranks];
  return messages;
}

}  // namespace

Seconds total_cost_of_parts(const Collective& collective, const Group& group,
                            const Cluster& cluster) {
  const std::uint32_t ranks = group.size();
  const std::vector<Bytes> parts = parts_of(collective, ranks);
  const std::vector<Link> links = LinkLoads(cluster).shared_links_of(edges_of(group, {}));
  std::vector<Seconds> end(ranks);
  std::vector<Seconds> next(ranks);
  for (std::uint32_t round = 0; round + 1 < ranks; ++round) {
    for (std::uint32_t edge = 0; edge < ranks; ++edge)
      next[edge] = std::max(end[edge], end[(edge + ranks - 1) % ranks]) +
                   time_of(links[edge], parts[(edge + ranks - round) % ranks]);
    std::swap(end, next);
  }
  return *std::ranges::max_element(end);
}

/// An edge carries all parts but that of the member it leads to.
std::vector<Phase> flow_phases_of_parts(const Collective& collective, const Group& group,
                                        const Cluster& cluster) {
  const std::vector<Bytes> parts = parts_of(collective, group.size());
  std::vector<Message> messages = edges_of(group, collective.size);
  for (std::size_t edge = 0; edge < messages.size(); ++edge)
    messages[edge].size -= parts[(edge + 1) % parts.size()];
  messages = crossing_or_all(std::move(messages), cluster);
  const Seconds transfer = LinkLoads(cluster).transfer_time(messages);
  return {phase_of(std::move(messages), total_cost_of_parts(collective, group, cluster), transfer)};
}

StepPlan step_plan_of_parts(const Collective& collective, const Group& group) {
  const std::vector<Bytes> parts = parts_of(collective, group.size());
  StepPlan plan;
  for (std::uint32_t round = 0; round + 1 < group.size(); ++round) {
    plan.rounds.push_back({round_of(parts, group, round)});
    std::erase_if(plan.rounds.back().messages,
                  [](const Message& message) { return message.size <= Bytes{}; });
  }
  return plan;
}

}  // namespace stepcast::ring
