#pragma once

#include <cstdint>

namespace stepcast {

enum class CollectiveKind : std::uint8_t {
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  Broadcast,
  Reduce,
  Send,  ///< Along a chain: each member to the next; of a pair, the first to the second.
};

}  // namespace stepcast
