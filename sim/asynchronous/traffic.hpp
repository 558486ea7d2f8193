#pragma once

#include <functional>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/cluster.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/network_backend.hpp"

namespace stepcast {

/// What a worker's messages of a round need of a link: bytes over bandwidth, without start-ups.
struct Occupancy {
  std::uint32_t link = 0;  ///< Workers' own links first, then those that nodes share.
  Seconds time{};
};

/// How models move. Times are those of an idle network, or shared among the messages of a round;
/// where there is a `network`, it moves the bytes instead and links are shared as they come.
struct Traffic {
  /// One model to a neighbour, in a round of the graph.
  std::function<Seconds(std::uint32_t round, Rank from, Rank to)> message;
  /// Messages of a later round wait for the link that those of an earlier one occupy. May be empty:
  /// where all messages of a round are waited for before the next begins.
  std::function<Occupancy(std::uint32_t round, Rank from)> occupancy;
  /// Averaging the models of a group, one at least.
  std::function<Seconds(const std::vector<Rank>& members)> all_reduce;

  EventQueue* queue = nullptr;
  NetworkBackend* network = nullptr;
  Seconds launch{};  ///< Software cost of a transfer on the network.
};

}  // namespace stepcast
