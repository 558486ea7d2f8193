#pragma once

#include <functional>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/cluster.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/network_backend.hpp"

namespace stepcast {

/// How models move. Times are those of an idle network, or shared among the messages of a round;
/// where there is a `network`, it moves the bytes instead and links are shared as they come.
struct Traffic {
  /// One model to a neighbour, in a round of the graph.
  std::function<Seconds(std::uint32_t round, Rank from, Rank to)> message;
  /// Averaging the models of a group, one at least.
  std::function<Seconds(const std::vector<Rank>& members)> all_reduce;

  EventQueue* queue = nullptr;
  NetworkBackend* network = nullptr;
  Seconds launch{};  ///< Software cost of a transfer on the network.
};

}  // namespace stepcast
