#pragma once

#include <list>
#include <optional>
#include <string>

#include "sim/study/edits/editable_step.hpp"
#include "sim/study/edits/step_search.hpp"
#include "sim/study/hybrid/hybrid_forecast.hpp"
#include "sim/study/scenario.hpp"

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
  explicit ReplicatedPipelines(HybridScenario scenario);

  EditableStep at(std::uint32_t ranks);

 private:
  struct Kept {
    HybridScenario scenario;
    HybridRun run;
  };
  HybridScenario scenario_;
  std::list<Kept> kept_;
};

/// Where the steps before and after are likely to lie, of a plan on a cluster that may have been
/// replicated; see shipped_range().
void add_likely_ranges(EditedStep& result, const std::string& device, Cluster cluster,
                       std::optional<bool> experts = std::nullopt);

}  // namespace stepcast
