#pragma once

#include <functional>
#include <optional>

#include "models/schedule/decentralised/peer_graph.hpp"
#include "models/schedule/options.hpp"
#include "sim/protocol/world.hpp"

namespace stepcast {

/// A protocol with its options.
struct Protocol {
  std::function<ProtocolRun(const ProtocolJob&)> run;
  /// The same times for many seeds by a recursion, where messages take fixed times; or none.
  std::function<std::vector<Seconds>(const ProtocolJob&, std::uint64_t first_seed,
                                     std::uint32_t seeds)>
      recursion;
  std::optional<PeerGraph> graph;  ///< Whose messages of a round share links.
  bool draws = false;              ///< Partners or groups, by the seed.
  bool of_nodes = false;           ///< A worker is a node, its GPUs in step.
};

/// A run-time schedule by its options. Throws InputError as the options and graphs do.
Protocol protocol_of(const OptionReader& read, const Cluster& cluster, Bytes model);

}  // namespace stepcast
