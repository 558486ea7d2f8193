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
};

}  // namespace stepcast
