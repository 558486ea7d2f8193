#include "sim/report/json/optimisation_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"

namespace stepcast {

namespace {

using Json = nlohmann::ordered_json;

Json accepted_json(const std::vector<AcceptedEdit>& edits) {
  Json accepted = Json::array();
  for (const AcceptedEdit& edit : edits) {
    accepted.push_back({{"kind", name_of(edit.kind)},
                        {"text", edit.text},
                        {"gain_s", edit.gain.value},
                        {"step_s", edit.step.value}});
    if (edit.gpus > 0)
      accepted.back()["gpus"] = edit.gpus;
  }
  return accepted;
}

/// The basis of the step after, unless the two are not of as many GPUs, is that of both.
void add_steps(Json& json, const EditedStep& found) {
  json["step_before_s"] = found.step_before.value;
  add_likely(json, found.likely_before, "step_before");
  json["step_after_s"] = found.step_after.value;
  add_likely(json, found.likely_after, "step_after");
  if (found.likely_before.basis != found.likely_after.basis)
    json["step_before_error_basis"] = found.likely_before.basis;
}

}  // namespace

std::string edited_step_json(const EditedStep& found) {
  Json json{{"version", STEPCAST_VERSION}};
  if (found.recorded > Seconds{}) {
    json["job"] = found.subject;
    json["gpus"] = found.gpus;
    json["gpus_after"] = found.gpus_after;
    json["recorded_step_s"] = found.recorded.value;
    json["simulated_step_error"] = found.step_error;
    if (found.pace.stalled_steps > 0)
      json["stalls"] = stalls_json(found.pace);
    if (found.memory_before > Bytes{}) {
      json["memory_from"] = "told";
      json["memory_limit_bytes"] = found.memory_limit.value;
      json["memory_before_bytes"] = found.memory_before.value;
      json["memory_bytes"] = found.memory_after.value;
    }
  } else {
    json["workload"] = found.subject;
    json["cluster"] = found.cluster;
    json["schedule"] = found.schedule;
    json["fidelity"] = name_of(found.fidelity);
    json["gpus"] = found.gpus;
    json["gpus_after"] = found.gpus_after;
    json["device_memory_bytes"] = found.device_memory.value;
    json["memory_from"] = "plan";
    json["memory_limit_bytes"] = found.memory_limit.value;
    json["memory_before_bytes"] = found.memory_before.value;
    json["memory_bytes"] = found.memory_after.value;
    json["found_options"] = found.options;
  }
  add_steps(json, found);
  json["accepted"] = accepted_json(found.accepted);
  json["edits_tried"] = found.tried;
  json["steps_estimated"] = found.replayed;
  json["steps_simulated"] = found.simulated;
  json["bound_by"] = found.bound_by;
  json["notes"] = found.notes;
  return printed(json);
}

}  // namespace stepcast
