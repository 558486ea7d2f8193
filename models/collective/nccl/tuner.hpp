#pragma once
// Which algorithm and protocol NCCL takes for an all-reduce.
//
// How it works. NCCL's tuner expects start-up + size / bandwidth of each algorithm (tree, ring) in
// each protocol (LL, LL128, Simple) and takes the least. A ring starts up once a step, a tree twice
// a level; LL sends a flag with every 4 bytes and waits for no fence, LL128 one with every 120
// bytes (on NVLink alone), Simple sends data alone and waits for fences. The constants are those of
// NCCL 2.8.3 (src/graph/tuning.cc of nvidia/nccl at 920dbe5, BSD-3), microseconds and shares as
// written there, for Volta GPUs on Intel hosts. Left out: what a channel can carry at most, which
// depends on how many channels the search has found. Cost: constant.

#include <cstdint>

#include "models/base/units.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast::nccl {

enum class Shape : std::uint8_t { Tree, Ring };
enum class Protocol : std::uint8_t { LL, LL128, Simple };

/// Ranks on equal nodes.
struct Communicator {
  std::uint32_t ranks = 2;
  std::uint32_t nodes = 1;
  NodePath inside = NodePath::NvLink;
  /// Bus bandwidth of all channels, as NCCL has found it on the machine: nominal.
  BytesPerSecond bandwidth{};
};

struct Choice {
  Shape shape = Shape::Ring;
  Protocol protocol = Protocol::Simple;
  Seconds time{};  ///< As the tuner expects.
};

/// Start-ups of one all-reduce, as the tuner expects them.
Seconds startup(const Communicator& communicator, Shape shape, Protocol protocol, Bytes size);

/// The most that the tuner expects one step of a ring between nodes to start up in.
Seconds longest_network_step();

/// The best of one shape; of both.
Choice choose(const Communicator& communicator, Shape shape, Bytes size);
Choice choose(const Communicator& communicator, Bytes size);

/// The least power of two (of bytes, from 64) that goes through a ring; 0 if all sizes do.
Bytes tree_below(const Communicator& communicator);

/// The bandwidth at which trees give way to rings from that size on: with less of it they do
/// sooner. 0 where they do at any, whatever the bandwidth.
BytesPerSecond bandwidth_by_switch(Communicator communicator, Bytes below);

/// What a protocol sends over what it is given.
double overhead(Protocol protocol);

}  // namespace stepcast::nccl
