#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/links.hpp"
#include "models/collective/pipeline.hpp"

// Pipelined chain along the ring order, as NCCL broadcasts and reduces. A broadcast runs from the
// root to the rank before it, a reduce from the rank after the root to the root. The buffer moves
// in k chunks, each rank passing on one chunk while it receives the next. An edge has several
// chunks in flight (NCCL: 8 slots), so a start-up is the delay of its first chunk, not a pause
// between chunks.
//
// Chunk c is through edge e, which takes t(e) for one, at D(e, c) = t(e) + max(D(e, c-1), D(e-1,
// c)), the first a start-up s(e) later. The longest path goes along the first chunk to some edge m,
// stays there for all chunks and follows the last one to the end: s(0) + .. + s(m) + t(0) + .. +
// t(P-2) + (k-1) t(m), the largest over all m. With equal edges that is (P-1) s + (P-2+k) M/(kB).
// Exact unless links are shared by several edges (ranks that go to and fro between nodes): then an
// upper bound.

namespace stepcast::chain {
namespace {

// With chunks of 4 KiB a broadcast starts up in .27 ms on 64 GPUs of rtx2080ti-16x4-ib100, where
// .25 ms were published (one row, one fitted number); larger ones would need longer. Not so
// NCCL 2.8 on v100-32x4-edr, where each further node adds .19 ms to large broadcasts: megabytes in
// flight. There measured curves stand in its place; without curves large groups may come out too
// fast. More than 512 chunks would make message by message slow.
constexpr double kMostChunks = 512;
constexpr Bytes kSmallestChunk{4096};

std::vector<Message> edges_of(const Collective& collective, const Group& group, Bytes size) {
  const std::uint32_t ranks = group.size();
  const std::uint32_t first = collective.root + (collective.kind == CollectiveKind::Reduce ? 1 : 0);
  std::vector<Message> edges;
  for (std::uint32_t i = first; i + 1 < first + ranks; ++i)
    edges.push_back({group.ranks[i % ranks], group.ranks[(i + 1) % ranks], size});
  return edges;
}

/// Until the last of `chunks` chunks, for each of which edge e takes times[e], is through the last
/// edge.
Seconds longest_path(const std::vector<Seconds>& startups, const std::vector<Seconds>& times,
                     std::uint32_t chunks) {
  Seconds sum;
  Seconds startup;
  Seconds longest;
  for (std::size_t m = 0; m < times.size(); ++m) {
    sum += times[m];
    startup += startups[m];
    longest = std::max(longest, startup + times[m] * (chunks - 1));
  }
  return sum + longest;
}

/// What one edge carries alone need not be cut.
std::uint32_t chunk_count(std::size_t edges, Bytes size) {
  if (edges == 1)
    return 1;
  return static_cast<std::uint32_t>(std::clamp(size / kSmallestChunk, 1.0, kMostChunks));
}

/// All messages of an edge but the first follow another.
void hide_later_startups(std::vector<Round>& rounds) {
  std::set<Rank> begun;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    bool has_first = false;
    for (Message& message : rounds[i].messages) {
      message.follows = !begun.insert(message.from).second;
      has_first = has_first || !message.follows;
    }
    if (!has_first || rounds[i].repeat == 1)
      continue;
    Round rest{rounds[i].messages, rounds[i].repeat - 1};
    rounds[i].repeat = 1;
    rounds.insert(rounds.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(rest));
  }
}

}  // namespace

Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  std::vector<Seconds> startups;
  std::vector<Seconds> times;
  const std::vector<Message> edges = edges_of(collective, group, collective.size);
  const std::uint32_t chunks = chunk_count(edges.size(), collective.size);
  for (const Link& link : LinkLoads(cluster).shared_links_of(edges)) {
    startups.push_back(link.startup);
    times.push_back(collective.size / chunks / link.bandwidth);
  }
  return longest_path(startups, times, chunks);
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  std::vector<Message> messages =
      crossing_or_all(edges_of(collective, group, collective.size), cluster);
  const Seconds transfer = LinkLoads(cluster).transfer_time(messages);
  return {phase_of(std::move(messages), total_cost(collective, group, cluster), transfer)};
}

StepPlan step_plan(const Collective& collective, const Group& group) {
  const std::vector<Message> edges = edges_of(collective, group, collective.size);
  const std::uint32_t chunks = chunk_count(edges.size(), collective.size);
  std::vector<std::vector<Message>> stages;
  stages.reserve(edges.size());
  for (const Message& edge : edges)
    stages.push_back({{edge.from, edge.to, edge.size / chunks}});
  StepPlan plan{.rounds = pipelined_rounds(stages, chunks)};
  hide_later_startups(plan.rounds);
  return plan;
}

}  // namespace stepcast::chain
