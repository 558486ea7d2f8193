#pragma once

#include <string>
#include <vector>

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// Of the time of a pass the shares of matrix products and of the host.
struct PassShares {
  double products = 0;
  double host = 0;
};

/// What tasks of a plan are of.
struct PlannedLayer {
  std::string name;
  Seconds forward{};
  PassShares of_forward;
  PassShares of_backward;
};

/// What the passes of a planned step are of, by layer of the plan.
struct PlannedModel {
  std::string name;
  std::vector<PlannedLayer> layers;
  bool is_cut = false;         ///< Into stages, whose passes are what the plan has.
  bool knows_products = true;  ///< Not of a transformer that is cut: its passes have all in one.
};

PlannedModel planned_model(const Workload& workload);

/// Of a pipeline, whose passes are of several layers each.
PlannedModel planned_model(const HybridJob& job, const Workload& model);

}  // namespace stepcast
