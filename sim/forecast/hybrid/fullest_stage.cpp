#include "sim/forecast/hybrid/fullest_stage.hpp"

#include <algorithm>

namespace stepcast {

Bytes fullest_stage(const HybridJob& job, const Workload& model) {
  Bytes most{};
  for (std::uint32_t stage = 0; stage < job.order.stages; ++stage)
    most = std::max(most, stage_memory(job, model, stage).total());
  return most;
}

}  // namespace stepcast
