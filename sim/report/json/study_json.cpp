#include "sim/report/json/study_json.hpp"

#include <nlohmann/json.hpp>

namespace stepcast {

nlohmann::ordered_json study_json(const StudyHead& head) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION}, {"workload", head.workload}};
  if (!head.cluster.empty())
    json["cluster"] = head.cluster;
  if (head.gpus > 0)
    json["gpus"] = head.gpus;
  json["fidelity"] = head.fidelity;
  return json;
}

void add_likely(nlohmann::ordered_json& json, const LikelyStep& likely, const std::string& step) {
  if (likely.basis.empty())
    return;
  json[step + "_low_s"] = likely.low.value;
  json[step + "_high_s"] = likely.high.value;
  json["error_basis"] = likely.basis;
}

std::string printed(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json stalls_json(const RecordedPace& pace) {
  return {{"stalled_steps", pace.stalled_steps},
          {"usual_steps", pace.usual_steps},
          {"usual_step_s", pace.usual.value},
          {"stalled_step_s", pace.stalled.value},
          {"shortest_stalled_step_s", pace.shortest.value},
          {"longest_stalled_step_s", pace.longest.value},
          {"mean_of_all_steps_s", pace.all.value}};
}

}  // namespace stepcast
