#include "sim/report/text/studies/edge_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {

std::string render_edge(const std::vector<EdgeDevice>& devices) {
  const EdgeRound equal = equal_round(devices);
  const EdgeRound best = best_round(devices);
  Table table{.columns = {{"device", Align::Left},
                          {"compute s"},
                          {"sent"},
                          {"rate"},
                          {"equal round s"},
                          {"best share"},
                          {"upload s"},
                          {"round s"}}};
  for (std::size_t i = 0; i < devices.size(); ++i)
    table.rows.push_back({devices[i].name, fmt::format("{:.4f}", devices[i].compute.value),
                          format_bytes(devices[i].size), format_bandwidth(devices[i].rate),
                          fmt::format("{:.4f}", equal.devices[i].round.value),
                          fmt::format("{:.1f} %", 100 * best.devices[i].share),
                          fmt::format("{:.4f}", best.devices[i].upload.value),
                          fmt::format("{:.4f}", best.devices[i].round.value)});
  std::string text = fmt::format("{} devices that share a band\n\n", devices.size());
  text += render(table);
  text += '\n';
  return text + wrap(fmt::format("A round takes {} with equal shares and {} with the best: {:.3f} "
                                 "times as fast.",
                                 format_seconds(equal.time), format_seconds(best.time),
                                 best.time > Seconds{} ? equal.time / best.time : 1),
                     0);
}

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
  return printed(json);
}

}  // namespace stepcast
