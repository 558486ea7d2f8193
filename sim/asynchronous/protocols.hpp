#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/schedule/decentralised/peer_graph.hpp"
#include "models/schedule/options.hpp"
#include "sim/asynchronous/period.hpp"
#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// What simulating an iteration of a worker takes, as it was measured. Where the transfers of all
/// workers are joined through shared links, it grows with the workers at flow and step.
struct ProtocolPace {
  Seconds alone{6e-6};
  Seconds for_each_worker{};
  Seconds analytic{1.2e-6};
};

/// A protocol with its options.
struct Protocol {
  std::function<ProtocolRun(const ProtocolJob&)> run;
  /// The same times for many seeds by a recursion, where messages take fixed times; or none.
  std::function<std::vector<Seconds>(const ProtocolJob&, std::uint64_t first_seed,
                                     std::uint32_t seeds)>
      recursion;
  std::optional<PeerGraph> graph;  ///< Whose messages of a round share links.
  /// One worker of each node sends to another node in a round: workers use the node's link in turn.
  bool nic_in_turn = false;
  std::uint32_t earlier =
      0;  ///< Iterations before one's own whose messages may still be under way.
  Period period{};
  bool draws = false;         ///< Partners or groups, by the seed.
  bool draws_ties = false;    ///< Of these no more than the order of workers that come at once.
  bool of_nodes = false;      ///< A worker is a node, its GPUs in step.
  bool has_servers = false;   ///< They update, and are a queue at every fidelity.
  std::uint32_t dropped = 0;  ///< Gradients of all workers in a step that nobody uses.
  bool sends_only = false;    ///< Models go from worker to worker; no group averages.
  bool meets = false;         ///< Transfers meet on links by chance, and share them as they come.
  ProtocolPace pace{};
  /// Parts of a training whose rules change in it, each with its `iterations`, which are whole
  /// periods of one round; `run`, `recursion` and `period` are then those of the first stage.
  /// Empty: the rules stay the same.
  std::vector<Protocol> parts{};
  std::uint32_t iterations = 0;
  std::string stages{};  ///< What the parts are, in words.
};

/// The graph that protocol_of() makes, before it does; without edges where it makes none.
PeerGraphSize graph_size_of(const OptionReader& read, const Cluster& cluster);

/// A run-time schedule by its options. Throws InputError as the options and graphs do.
Protocol protocol_of(const OptionReader& read, const Cluster& cluster, Bytes model);

}  // namespace stepcast
