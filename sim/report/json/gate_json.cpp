#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"
#include "sim/report/text/studies/gate_report.hpp"

namespace stepcast {

std::string gate_json(const Gate& gate) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                              {"passed", gate.passed()},
                              {"max_slowdown", gate.most},
                              {"cases", nlohmann::ordered_json::array()}};
  if (!gate.job.empty())
    json["job"] = gate.job;
  for (const GateCase& found : gate.cases) {
    nlohmann::ordered_json entry{{"case", found.name}, {"outcome", name_of(found.outcome)}};
    if (found.before)
      entry["before_s"] = found.before->value;
    if (found.now)
      entry["now_s"] = found.now->value;
    if (found.before && found.now)
      entry["change"] = found.change;
    json["cases"].push_back(std::move(entry));
  }
  return printed(json);
}

}  // namespace stepcast
