#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/network/cluster.hpp"

namespace stepcast {

/// Who sends to whom. A self loop is implied.
enum class Topology : std::uint8_t {
  Ring,         ///< i +- 1
  RingBased,    ///< Ring and the opposite, i + n/2 (Luo et al., Hop, ASPLOS 2019)
  DoubleRing,   ///< Two ring-based graphs of n/2, joined worker to worker (same)
  Exponential,  ///< i + 2^m for every m
  OnePeer,      ///< In iteration t one of these, m = t mod log2 n (Assran et al., SGP, ICML 2019)
  /// In turn one local rank of every machine sends to the same rank of machine + 2^m, the others
  /// one-peer among themselves (BlueFog's default).
  InnerOuter,
  Torus,     ///< The four next on the most square torus
  Random,    ///< Regular: every worker has `degree` neighbours
  Star,      ///< All with worker 0
  Complete,  ///< All with all
};

struct PeerGraphOptions {
  Topology topology = Topology::Ring;
  std::uint32_t per_node = 1;  ///< Workers of a machine, for InnerOuter.
  std::uint32_t degree = 3;    ///< For Random.
  std::uint64_t seed = 0;      ///< For Random.
};

/// The neighbours of every worker in one round, ascending. An edge takes 4 bytes: the neighbours of
/// all workers stand one after the other.
class Adjacency {
 public:
  explicit Adjacency(const std::vector<std::vector<Rank>>& of_workers);

  std::span<const Rank> operator[](Rank worker) const {
    return std::span(all_).subspan(first_[worker], first_[worker + 1] - first_[worker]);
  }
  /// Returns the index of a worker's first edge among all edges().
  std::uint32_t first_edge(Rank worker) const { return first_[worker]; }
  std::uint32_t edges() const { return first_.back(); }

  bool operator==(const Adjacency&) const = default;

 private:
  std::vector<std::uint32_t> first_;  ///< By worker, then the number of edges.
  std::vector<Rank> all_;
};

/// Round t mod rounds() is the graph of iteration t.
struct PeerGraph {
  std::uint32_t workers = 1;
  std::vector<Adjacency> to;    ///< By round: the receivers of each sender.
  std::vector<Adjacency> from;  ///< By round: the senders of each receiver.

  std::uint32_t rounds() const { return static_cast<std::uint32_t>(to.size()); }
  std::span<const Rank> to_of(std::uint32_t iteration, Rank rank) const {
    return to[iteration % rounds()][rank];
  }
  std::span<const Rank> from_of(std::uint32_t iteration, Rank rank) const {
    return from[iteration % rounds()][rank];
  }
};

/// How many edges make_peer_graph() makes, and in how many rounds; about as many for
/// Topology::InnerOuter, and at most so many where some of a few workers' edges are the same.
struct PeerGraphSize {
  double edges = 0;
  double rounds = 1;
};
PeerGraphSize size_of_peer_graph(std::uint32_t workers, const PeerGraphOptions& options);

/// Throws InputError where the topology does not exist for so many workers, or has more than 2^27
/// edges, which take gigabytes.
PeerGraph make_peer_graph(std::uint32_t workers, const PeerGraphOptions& options);

/// The graph of one round with these edges, sender by sender; sorts them, drops repeated ones and
/// self loops. Throws InputError, naming two workers, unless each is reached from every other.
PeerGraph peer_graph_of(std::vector<std::vector<Rank>> to);
/// The same of several rounds, whose edges together must connect all.
PeerGraph peer_graph_of_rounds(std::vector<std::vector<std::vector<Rank>>> rounds);

/// Hops of the shortest path from each worker (row) to each other, over the edges of all rounds.
std::vector<std::vector<std::uint32_t>> hops_of(const PeerGraph& graph);

/// 1 - |lambda_2| of the averaging with equal weights 1 / (degree + 1): how fast what one knows
/// reaches all. Precondition: one round, symmetric, all of one degree.
double spectral_gap(const PeerGraph& graph);

}  // namespace stepcast
