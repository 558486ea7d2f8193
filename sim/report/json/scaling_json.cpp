#include <algorithm>

#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/studies/scaling_report.hpp"

namespace stepcast {
namespace {

std::string known(Seconds time) {
  return time.value > 0 ? csv_number(time.value) : "";
}

}  // namespace

std::string scaling_json(const Scaling& scaling) {
  nlohmann::ordered_json json =
      study_json({.workload = scaling.workload, .fidelity = name_of(scaling.fidelity)});
  for (const ScalingSize& size : scaling.sizes) {
    json["gpus"].push_back(size.gpus());
    json["gpus_per_node"].push_back(size.gpus_per_node);
  }
  for (const ScalingCurve& curve : scaling.curves) {
    nlohmann::ordered_json entry{{"cluster", curve.cluster}, {"schedule", curve.schedule}};
    for (const Seconds step : curve.steps)
      entry["iteration_time_s"].push_back(step.value);
    const bool has_ranges =
        std::ranges::all_of(curve.highs, [](Seconds high) { return high.value > 0; });
    for (std::size_t i = 0; has_ranges && i < curve.lows.size(); ++i) {
      entry["iteration_time_low_s"].push_back(curve.lows[i].value);
      entry["iteration_time_high_s"].push_back(curve.highs[i].value);
      entry["error_basis"].push_back(curve.bases[i]);
    }
    json["curves"].push_back(std::move(entry));
  }
  json["notes"] = texts_of(scaling.notes.notes());
  return printed(json);
}

std::string scaling_csv_head() {
  return csv_line({"cluster", "schedule", "nodes", "gpus_per_node", "gpus", "iteration_time_s",
                   "iteration_time_low_s", "iteration_time_high_s"});
}

std::string scaling_csv_row(const ScalingPoint& point) {
  return csv_line({point.cluster, point.schedule, std::to_string(point.size.nodes),
                   std::to_string(point.size.gpus_per_node), std::to_string(point.size.gpus()),
                   csv_number(point.step.value), known(point.low), known(point.high)});
}

}  // namespace stepcast
