#pragma once

#include <list>

#include "sim/forecast/planned_run.hpp"
#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// The step of a job's plan, which repeats no steps (see unrolled()), ready to be edited: of a
/// pipeline stage by stage. Run, workload and cluster must outlive it.
EditableStep editable_step(const PlannedRun& run, const Workload& workload, const Cluster& cluster);

/// Planned steps on clusters of more nodes, each of whose ranks does as much as before (of a
/// pipeline more copies): what `replicate ranks=` makes of a plan. The schedule plans anew, as its
/// collectives and what ranks share depend on how many there are. Keeps plans and clusters of the
/// steps that it made.
class ReplicatedPlans {
 public:
  /// `job`: with the workload of one pass. What it refers to must outlive this.
  explicit ReplicatedPlans(ScheduledJob job) : job_(std::move(job)) {}

  /// Throws InputError where `ranks` is no multiple of the cluster's.
  EditableStep at(std::uint32_t ranks);

 private:
  struct Kept {
    Cluster cluster;
    PlannedRun run;
  };
  ScheduledJob job_;
  std::list<Kept> kept_;
};

}  // namespace stepcast
