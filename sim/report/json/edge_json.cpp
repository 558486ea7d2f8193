#include <nlohmann/json.hpp>

#include "sim/report/text/studies/edge_report.hpp"

namespace stepcast {

std::string edge_json(const std::vector<EdgeDevice>& devices) {
  const EdgeRound equal = equal_round(devices);
  const EdgeRound best = best_round(devices);
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                              {"equal_round_s", equal.time.value},
                              {"round_s", best.time.value},
                              {"devices", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < devices.size(); ++i)
    json["devices"].push_back({{"device", devices[i].name},
                               {"compute_s", devices[i].compute.value},
                               {"size_bytes", devices[i].size.value},
                               {"rate_bytes_per_s", devices[i].rate.value},
                               {"equal_round_s", equal.devices[i].round.value},
                               {"share", best.devices[i].share},
                               {"upload_s", best.devices[i].upload.value},
                               {"round_s", best.devices[i].round.value}});
  return json.dump(2) + "\n";
}

}  // namespace stepcast
