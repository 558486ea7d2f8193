#pragma once

#include <cstdint>

#include "models/base/units.hpp"
#include "models/network/cluster.hpp"

namespace stepcast {

/// Told when a message or flow has arrived.
class FlowListener {
 public:
  virtual ~FlowListener() = default;
  virtual void flow_arrived(std::uint32_t tag) = 0;
};

/// Moves single messages between GPUs; those that share a link share it max-min fairly.
class Wire {
 public:
  virtual ~Wire() = default;

  /// After `startup` moves `size`, then calls listener.flow_arrived(tag). The listener must outlive
  /// the message.
  virtual void send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
                    std::uint32_t tag) = 0;

  /// From now on the rank's port carries `share` of its bandwidth, 0 < share <= 1.
  virtual void set_port(Rank rank, double share) = 0;
};

}  // namespace stepcast
