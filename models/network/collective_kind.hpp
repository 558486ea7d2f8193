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
  Send,  ///< From the first half of the group to the second; of a pair, the first to the second.
};

}  // namespace stepcast
