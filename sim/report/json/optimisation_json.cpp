#include "sim/report/json/optimisation_json.hpp"

#include <nlohmann/json.hpp>

namespace stepcast {

std::string optimisation_json(const Optimisation& found) {
  using Json = nlohmann::ordered_json;
  Json accepted = Json::array();
  for (const AcceptedEdit& edit : found.accepted)
    accepted.push_back({{"kind", name_of(edit.kind)},
                        {"text", edit.text},
                        {"gain_s", edit.gain.value},
                        {"step_s", edit.step.value}});
  Json buckets = Json::array();
  for (const BucketInPlan& bucket : found.buckets)
    buckets.push_back({{"size_bytes", bucket.size.value},
                       {"gradients", bucket.gradients},
                       {"first", bucket.first}});
  const Json json{{"version", STEPCAST_VERSION},
                  {"workload", found.workload},
                  {"cluster", found.cluster},
                  {"gpus", found.gpus},
                  {"fidelity", name_of(found.fidelity)},
                  {"step_before_s", found.step_before.value},
                  {"step_after_s", found.step_after.value},
                  {"accepted", accepted},
                  {"buckets", buckets},
                  {"edits_tried", found.tried},
                  {"steps_simulated", found.simulated},
                  {"bound_by", found.bound_by}};
  return json.dump(2) + "\n";
}

}  // namespace stepcast
