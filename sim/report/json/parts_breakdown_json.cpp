#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/studies/parts_breakdown_report.hpp"

namespace stepcast {

std::string parts_breakdown_json(const PartsBreakdown& breakdown) {
  nlohmann::ordered_json json = study_json({.workload = breakdown.workload,
                                            .cluster = breakdown.cluster.name,
                                            .gpus = breakdown.cluster.ranks(),
                                            .fidelity = name_of(breakdown.fidelity)});
  json["schedule"] = breakdown.schedule;
  json["protocol"] = name_of(breakdown.protocol);
  json["iteration_time_s"] = total_of(breakdown.parts).value;
  add_likely(json, breakdown.likely);
  for (const NamedTime& part : breakdown.parts)
    json["parts_s"][part.name] = part.time.value;
  json["notes"] = texts_of(breakdown.notes);
  return printed(json);
}

std::string parts_breakdown_csv_head() {
  return csv_line({"part", "time_s"});
}

std::string parts_breakdown_csv_row(const NamedTime& part) {
  return csv_line({part.name, csv_number(part.time.value)});
}

}  // namespace stepcast
