#pragma once

#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {

/// What the best would gain from one change each: more micro-batches, other tensor and pipeline
/// ways, nothing recomputed, faster adapters.
std::vector<PlanChange> find_changes(const CapacityPlan& plan, std::uint32_t workers,
                                     const std::function<void()>& finished);

/// Deadline and budget in sentences: how many GPUs fewer a faster network needs for the same
/// deadline; by how much a wish that nothing meets is missed, and what would meet it; what faults
/// cost; on how few GPUs the job fits.
std::vector<std::string> outlook_of(const CapacityPlan& plan, std::uint32_t workers,
                                    const std::function<void()>& finished);

/// Reasons of the first `count` choices: the first's are those of its forecast, others' what takes
/// longer than in the first.
void add_reasons(CapacityPlan& plan, std::size_t count);

/// The next faster adapter that is sold, and what the cluster's is sold as.
struct FasterNic {
  double nominal_gbps = 0;
  double faster_gbps = 0;
  Cluster cluster;  ///< With it.
};
FasterNic with_faster_nic(const Cluster& cluster);

}  // namespace stepcast
