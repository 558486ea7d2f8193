#include <nlohmann/json.hpp>

#include "sim/report/text/studies/scaling_report.hpp"

namespace stepcast {

std::string scaling_json(const Scaling& scaling) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                              {"workload", scaling.workload},
                              {"fidelity", name_of(scaling.fidelity)}};
  for (const ScalingSize& size : scaling.sizes) {
    json["gpus"].push_back(size.gpus());
    json["gpus_per_node"].push_back(size.gpus_per_node);
  }
  for (const ScalingCurve& curve : scaling.curves) {
    nlohmann::ordered_json entry{{"cluster", curve.cluster}, {"schedule", curve.schedule}};
    for (const Seconds step : curve.steps)
      entry["iteration_time_s"].push_back(step.value);
    json["curves"].push_back(std::move(entry));
  }
  json["notes"] = scaling.notes.sentences();
  return json.dump(2) + "\n";
}

}  // namespace stepcast
