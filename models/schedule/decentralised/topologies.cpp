#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"
#include "models/schedule/decentralised/peer_graph.hpp"

// The edges of every topology, sender by sender.

namespace stepcast {
namespace {

using Edges = std::vector<std::vector<Rank>>;

// Powers of two below n: 1, 2, 4, ...
std::uint32_t powers_below(std::uint32_t n) {
  return n < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}

Edges ring(std::uint32_t n) {
  Edges to(n);
  for (Rank i = 0; i < n; ++i)
    to[i] = {(i + 1) % n, (i + n - 1) % n};
  return to;
}

Edges ring_based(std::uint32_t n) {
  Edges to = ring(n);
  for (Rank i = 0; i < n; ++i)
    to[i].push_back((i + n / 2) % n);
  return to;
}

Edges double_ring(std::uint32_t n) {
  const std::uint32_t half = n / 2;
  const Edges one = ring_based(half);
  Edges to(n);
  for (Rank i = 0; i < n; ++i) {
    const Rank first = i < half ? 0 : half;
    for (const Rank other : one[i - first])
      to[i].push_back(first + other);
    to[i].push_back((i + half) % n);
  }
  return to;
}

Edges exponential(std::uint32_t n) {
  Edges to(n);
  for (Rank i = 0; i < n; ++i)
    for (std::uint32_t m = 0; m < powers_below(n); ++m)
      to[i].push_back((i + (1U << m)) % n);
  return to;
}

Edges torus(std::uint32_t n) {
  auto rows = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(n)) + 0.5);
  while (n % rows != 0)
    --rows;
  const std::uint32_t columns = n / rows;
  Edges to(n);
  for (Rank i = 0; i < n; ++i) {
    const std::uint32_t row = i / columns, column = i % columns;
    to[i] = {row * columns + (column + 1) % columns,
             row * columns + (column + columns - 1) % columns, (row + 1) % rows * columns + column,
             (row + rows - 1) % rows * columns + column};
  }
  return to;
}

Edges star(std::uint32_t n) {
  Edges to(n);
  for (Rank i = 1; i < n; ++i) {
    to[0].push_back(i);
    to[i].push_back(0);
  }
  return to;
}

Edges complete(std::uint32_t n) {
  Edges to(n);
  for (Edges::value_type& each : to) {
    each.resize(n);
    std::iota(each.begin(), each.end(), 0U);
  }
  return to;
}

// Stubs of the pairing model in an order drawn by the seed; pairs that would be loops or repeated
// are put back, until none is left or a fresh start is due. (Steger and Wormald 1999.)
bool pair_up(Edges& to, std::uint32_t degree, std::uint64_t seed) {
  std::vector<Rank> stubs;
  for (Rank i = 0; i < to.size(); ++i)
    stubs.insert(stubs.end(), degree, i);
  std::uint64_t draw = 0;
  for (std::uint32_t failed = 0; !stubs.empty();) {
    const std::size_t a = mixed(seed, draw++) % stubs.size();
    const std::size_t b = mixed(seed, draw++) % stubs.size();
    const Rank i = stubs[a], j = stubs[b];
    if (i == j || std::ranges::find(to[i], j) != to[i].end()) {
      if (++failed > 1000)
        return false;
      continue;
    }
    failed = 0;
    to[i].push_back(j);
    to[j].push_back(i);
    stubs.erase(stubs.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
    stubs.erase(stubs.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
  }
  return true;
}

Edges random_regular(std::uint32_t n, const PeerGraphOptions& options) {
  if (options.degree < 2 || options.degree >= n || n * options.degree % 2 != 0)
    throw InputError(
        fmt::format("degree: expected 2 to {} with an even number of edges' ends in "
                    "all, found {} for {} workers",
                    n - 1, options.degree, n));
  for (std::uint64_t attempt = 0; attempt < 1000; ++attempt) {
    Edges to(n);
    if (!pair_up(to, options.degree, mixed(options.seed, attempt)))
      continue;
    try {
      peer_graph_of(to);  // Throws where it is not connected.
      return to;
    } catch (const InputError&) {
      continue;
    }
  }
  throw InputError(fmt::format("degree: found no connected graph of degree {} for {} workers",
                               options.degree, n));
}

std::vector<Edges> one_peer(std::uint32_t n) {
  std::vector<Edges> rounds;
  for (std::uint32_t m = 0; m < std::max(1U, powers_below(n)); ++m) {
    rounds.emplace_back(n);
    for (Rank i = 0; i < n; ++i)
      rounds.back()[i] = {(i + (1U << m)) % n};
  }
  return rounds;
}

bool has_inner_and_outer(std::uint32_t n, std::uint32_t per_node) {
  return per_node > 1 && n / per_node > 1 && n % per_node == 0;
}

std::uint32_t rounds_of_inner_outer(std::uint32_t n, std::uint32_t per_node) {
  if (!has_inner_and_outer(n, per_node))
    return std::max(1U, powers_below(n));
  return std::lcm(per_node * std::max(1U, powers_below(n / per_node)),
                  std::max(1U, powers_below(per_node - 1)));
}

std::vector<Edges> inner_outer(std::uint32_t n, std::uint32_t per_node) {
  if (!has_inner_and_outer(n, per_node))
    return one_peer(n);
  const std::uint32_t nodes = n / per_node;
  const std::uint32_t outer = std::max(1U, powers_below(nodes));
  const std::uint32_t inner = std::max(1U, powers_below(per_node - 1));
  std::vector<Edges> rounds;
  for (std::uint32_t t = 0; t < rounds_of_inner_outer(n, per_node); ++t) {
    Edges& to = rounds.emplace_back(n);
    const std::uint32_t goes = t % per_node;
    for (Rank i = 0; i < n; ++i) {
      const std::uint32_t node = i / per_node, local = i % per_node;
      if (local == goes) {
        to[i] = {(node + (1U << (t / per_node % outer))) % nodes * per_node + local};
        continue;
      }
      const std::uint32_t place = local < goes ? local : local - 1;  // among those that stay
      const std::uint32_t next = (place + (1U << (t % inner))) % (per_node - 1);
      to[i] = {node * per_node + (next < goes ? next : next + 1)};
    }
  }
  return rounds;
}

void expect_even(std::uint32_t workers, std::uint32_t factor, const char* topology) {
  if (workers % factor != 0 || workers < 2 * factor)
    throw InputError(fmt::format("graph: {} needs a multiple of {} workers, at least {}, found {}",
                                 topology, factor, 2 * factor, workers));
}

void expect_few_edges(std::uint32_t workers, const PeerGraphOptions& options) {
  constexpr double kMostEdges = std::uint32_t{1} << 27U;
  const double edges = size_of_peer_graph(workers, options).edges;
  if (edges > kMostEdges)
    throw InputError(
        fmt::format("graph: expected at most {:.0f} edges, found {:.3g} among {} workers; ring, "
                    "ring-based and exponential have fewer",
                    kMostEdges, edges, workers));
}

}  // namespace

PeerGraphSize size_of_peer_graph(std::uint32_t workers, const PeerGraphOptions& options) {
  const double n = workers;
  const double powers = std::max(1U, powers_below(workers));
  switch (options.topology) {
    case Topology::Ring:
      return {2 * n, 1};
    case Topology::RingBased:
      return {3 * n, 1};
    case Topology::DoubleRing:
    case Topology::Torus:
      return {4 * n, 1};
    case Topology::Exponential:
      return {powers * n, 1};
    case Topology::OnePeer:
      return {powers * n, powers};
    case Topology::InnerOuter: {
      const double rounds = rounds_of_inner_outer(workers, options.per_node);
      return {rounds * n, rounds};
    }
    case Topology::Random:
      return {options.degree * n, 1};
    case Topology::Star:
      return {2 * (n - 1), 1};
    case Topology::Complete:
      return {n * (n - 1), 1};
  }
  return {};
}

PeerGraph make_peer_graph(std::uint32_t workers, const PeerGraphOptions& options) {
  if (workers < 2)
    throw InputError("graph: a worker alone has no neighbours");
  expect_few_edges(workers, options);
  switch (options.topology) {
    case Topology::Ring:
      return peer_graph_of_rounds({ring(workers)});
    case Topology::RingBased:
      expect_even(workers, 2, "ring-based");
      return peer_graph_of_rounds({ring_based(workers)});
    case Topology::DoubleRing:
      expect_even(workers, 4, "double-ring");
      return peer_graph_of_rounds({double_ring(workers)});
    case Topology::Exponential:
      return peer_graph_of_rounds({exponential(workers)});
    case Topology::OnePeer:
      return peer_graph_of_rounds(one_peer(workers));
    case Topology::InnerOuter:
      return peer_graph_of_rounds(inner_outer(workers, options.per_node));
    case Topology::Torus:
      return peer_graph_of_rounds({torus(workers)});
    case Topology::Random:
      return peer_graph_of_rounds({random_regular(workers, options)});
    case Topology::Star:
      return peer_graph_of_rounds({star(workers)});
    case Topology::Complete:
      return peer_graph_of_rounds({complete(workers)});
  }
  return {};
}

}  // namespace stepcast
