#include "models/schedule/decentralised/peer_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/base/mix.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

using Edges = std::vector<std::vector<Rank>>;

void tidy(Edges& to) {
  for (Rank rank = 0; rank < to.size(); ++rank) {
    std::erase(to[rank], rank);
    std::ranges::sort(to[rank]);
    to[rank].erase(std::unique(to[rank].begin(), to[rank].end()), to[rank].end());
  }
}

Edges turned_round(const Edges& to) {
  Edges from(to.size());
  for (Rank rank = 0; rank < to.size(); ++rank)
    for (const Rank other : to[rank])
      from[other].push_back(rank);
  return from;
}

std::vector<std::uint32_t> hops_from(const std::vector<Adjacency>& rounds, std::uint32_t workers,
                                     Rank from) {
  std::vector<std::uint32_t> hops(workers, kUnreached);
  std::vector<Rank> reached{from};
  hops[from] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Adjacency& to : rounds)
      for (const Rank next : to[reached[i]])
        if (hops[next] == kUnreached) {
          hops[next] = hops[reached[i]] + 1;
          reached.push_back(next);
        }
  return hops;
}

// All are reached from 0 and reach 0, so each reaches every other.
void check_connected(const PeerGraph& graph) {
  for (const auto* rounds : {&graph.to, &graph.from}) {
    const auto hops = hops_from(*rounds, graph.workers, 0);
    const auto lost = std::ranges::find(hops, kUnreached);
    if (lost == hops.end())
      continue;
    const auto other = static_cast<Rank>(lost - hops.begin());
    throw InputError(
        fmt::format("the graph is not connected: what worker {} knows never reaches {}",
                    rounds == &graph.to ? 0 : other, rounds == &graph.to ? other : 0));
  }
}

}  // namespace

Adjacency::Adjacency(const std::vector<std::vector<Rank>>& of_workers) {
  first_.reserve(of_workers.size() + 1);
  first_.push_back(0);
  for (const std::vector<Rank>& each : of_workers)
    first_.push_back(checked_id(std::size_t{first_.back()} + each.size(), "edges"));
  all_.reserve(edges());
  for (const std::vector<Rank>& each : of_workers)
    all_.insert(all_.end(), each.begin(), each.end());
}

PeerGraph peer_graph_of_rounds(std::vector<Edges> rounds) {
  PeerGraph graph{.workers = static_cast<std::uint32_t>(rounds.front().size()), .to{}, .from{}};
  for (Edges& to : rounds) {
    tidy(to);
    graph.to.emplace_back(to);
    graph.from.emplace_back(turned_round(to));
    to = {};
  }
  check_connected(graph);
  return graph;
}

PeerGraph peer_graph_of(std::vector<std::vector<Rank>> to) {
  return peer_graph_of_rounds({std::move(to)});
}

std::vector<std::vector<std::uint32_t>> hops_of(const PeerGraph& graph) {
  std::vector<std::vector<std::uint32_t>> hops;
  for (Rank from = 0; from < graph.workers; ++from)
    hops.push_back(hops_from(graph.to, graph.workers, from));
  return hops;
}

// Power iteration on W^2 orthogonal to (1, ..., 1), the eigenvector of lambda_1: O(edges) a step.
double spectral_gap(const PeerGraph& graph) {
  const std::uint32_t n = graph.workers;
  std::vector<double> x(n), next(n);
  for (Rank i = 0; i < n; ++i)
    x[i] = static_cast<double>(mixed(1, i) >> 11U) * 0x1p-53 - 0.5;
  double lambda = 0;
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    double size = 0;
    for (double& value : x) {
      value -= mean;
      size += value * value;
    }
    double product = 0;
    for (Rank i = 0; i < n; ++i) {
      next[i] = x[i];
      for (const Rank j : graph.from[0][i])
        next[i] += x[j];
      next[i] /= static_cast<double>(graph.from[0][i].size() + 1);
      product += next[i] * next[i];
    }
    const double found = std::sqrt(product / size);
    for (Rank i = 0; i < n; ++i)
      x[i] = next[i] / std::sqrt(product);
    if (std::abs(found - lambda) < 1e-13)
      break;
    lambda = found;
  }
  return 1 - lambda;
}

}  // namespace stepcast
