#include <nlohmann/json.hpp>

#include "sim/report/text/studies/parts_breakdown_report.hpp"

namespace stepcast {

std::string parts_breakdown_json(const PartsBreakdown& breakdown) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                              {"workload", breakdown.workload},
                              {"cluster", breakdown.cluster.name},
                              {"gpus", breakdown.cluster.ranks()},
                              {"fidelity", name_of(breakdown.fidelity)},
                              {"schedule", breakdown.schedule},
                              {"protocol", name_of(breakdown.protocol)},
                              {"iteration_time_s", total_of(breakdown.parts).value}};
  for (const NamedTime& part : breakdown.parts)
    json["parts_s"][part.name] = part.time.value;
  json["notes"] = breakdown.notes;
  return json.dump(2) + "\n";
}

}  // namespace stepcast
