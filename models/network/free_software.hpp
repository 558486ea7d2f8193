#pragma once

#include "models/network/cluster.hpp"

namespace stepcast {

/// The same software if all that it does took no time; how much it fuses stays.
inline Software without_costs(const Software& software) {
  return {.horovod_cycle = {}, .horovod_fusion = software.horovod_fusion};
}

}  // namespace stepcast
