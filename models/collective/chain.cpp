#include <algorithm>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/links.hpp"
#include "models/collective/pipeline.hpp"

// Pipelined chain along the ring order. A broadcast runs from the root to the rank before it, a
// reduce from the rank after the root to the root. The buffer moves in k chunks, each rank passing
// on one chunk while it receives the next.
//
// Chunk c is through edge e at D(e, c) = t(e) + max(D(e, c-1), D(e-1, c)), so the last chunk
// arrives after the longest monotone path over the grid of edges and chunks: every edge once and
// the slowest k-1 times more. With equal edges that is (P-2+k)(startup + M/(kB)). Exact unless
// links are shared by several edges (ranks that go to and fro between nodes): then an upper bound.

namespace stepcast::chain {
namespace {

constexpr std::uint32_t kMostChunks = 128;

std::vector<Message> edges_of(const Collective& collective, const Group& group, Bytes size) {
  const std::uint32_t ranks = group.size();
  const std::uint32_t first = collective.root + (collective.kind == CollectiveKind::Reduce ? 1 : 0);
  std::vector<Message> edges;
  for (std::uint32_t i = first; i + 1 < first + ranks; ++i)
    edges.push_back({group.ranks[i % ranks], group.ranks[(i + 1) % ranks], size});
  return edges;
}

Seconds slowest(const std::vector<Link>& links, Bytes size) {
  Seconds longest;
  for (const Link& link : links)
    longest = std::max(longest, time_of(link, size));
  return longest;
}

/// Edges crossed one after the other.
Seconds sum(const std::vector<Link>& links, Bytes size) {
  Seconds total;
  for (const Link& link : links)
    total += time_of(link, size);
  return total;
}

/// With k chunks the cost is (sum of M/B over all edges but the slowest) / k + k * startup of the
/// slowest + what does not depend on k.
std::uint32_t chunk_count(const std::vector<Link>& links, Bytes size) {
  const auto slower = [size](const Link& a, const Link& b) {
    return time_of(a, size) < time_of(b, size);
  };
  const auto slow = std::ranges::max_element(links, slower);
  Seconds others;
  for (auto link = links.begin(); link != links.end(); ++link)
    if (link != slow)
      others += size / link->bandwidth;
  return best_chunk_count(others, slow->startup, kMostChunks);
}

}  // namespace

Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  const Bytes size = collective.size;
  const std::vector<Link> links =
      LinkLoads(cluster).shared_links_of(edges_of(collective, group, size));
  const std::uint32_t chunks = chunk_count(links, size);
  return sum(links, size / chunks) + slowest(links, size / chunks) * (chunks - 1);
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  std::vector<Message> messages =
      crossing_or_all(edges_of(collective, group, collective.size), cluster);
  const Seconds transfer = LinkLoads(cluster).transfer_time(messages);
  return {phase_of(std::move(messages), total_cost(collective, group, cluster), transfer)};
}

StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster) {
  const std::vector<Message> edges = edges_of(collective, group, collective.size);
  const std::uint32_t chunks =
      chunk_count(LinkLoads(cluster).shared_links_of(edges), collective.size);
  std::vector<std::vector<Message>> stages;
  stages.reserve(edges.size());
  for (const Message& edge : edges)
    stages.push_back({{edge.from, edge.to, edge.size / chunks}});
  return {pipelined_rounds(stages, chunks)};
}

}  // namespace stepcast::chain
