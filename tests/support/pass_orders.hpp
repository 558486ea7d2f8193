#pragma once

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {

/// The order of passes of a schedule with these options.
inline PipelineOrder order_of(const char* schedule, std::uint32_t stages,
                              std::uint32_t micro_batches, const ScheduleOptions& options = {}) {
  const ScheduleInfo& info = schedule_of(schedule);
  const ScheduleOptions effective = effective_options(info, options);
  return info.passes.order({.read = OptionReader(info.name, info.options, effective)}, stages,
                           micro_batches);
}

}  // namespace stepcast
