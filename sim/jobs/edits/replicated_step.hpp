#pragma once

#include <list>
#include <string>

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// Planned steps on clusters of more nodes, each of whose ranks does as much as before: what
/// `replicate ranks=` makes of a plan. The schedule plans anew, as its collectives and what ranks
/// share depend on how many there are. Keeps plans and clusters of the steps that it made.
class ReplicatedPlans {
 public:
  /// `scenario`: with the workload of one pass and the schedule's options.
  ReplicatedPlans(Scenario scenario, std::string schedule);

  /// Throws InputError where `ranks` is no multiple of the cluster's.
  EditableStep at(std::uint32_t ranks);

 private:
  struct Kept {
    Scenario scenario;
    Plan plan;
  };
  Scenario scenario_;
  std::string schedule_;
  std::list<Kept> kept_;
};

/// The same of a pipeline: more copies of it.
class ReplicatedPipelines {
 public:
  explicit ReplicatedPipelines(ScheduledJob job);

  EditableStep at(std::uint32_t ranks);

 private:
  ScheduledJob job_;
  std::list<Cluster> clusters_;
  std::list<HybridRun> runs_;
};

}  // namespace stepcast
