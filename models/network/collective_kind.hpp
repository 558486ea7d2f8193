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
  Send,  ///< Between neighbours: the odd members of the group to the even ones before them.
};

}  // namespace stepcast
