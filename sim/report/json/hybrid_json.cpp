#include "sim/report/json/hybrid_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/report/json/json.hpp"
#include "sim/study/validate/cases/layout_choice.hpp"

namespace stepcast {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order of writing

Json stages_json(const std::vector<StageForecast>& stages) {
  Json json = Json::array();
  for (const StageForecast& stage : stages) {
    json.push_back({{"holds", stage.holds},
                    {"time_s", stage.time.value},
                    {"bubble_s", stage.bubble.value},
                    {"bubble_by", Json::object()},
                    {"memory_bytes", stage.memory.value}});
    for (const NamedTime& part : named(stage.split))
      json.back()["bubble_by"][part.name + "_s"] = part.time.value;
  }
  return json;
}

}  // namespace

std::string hybrid_json(const HybridForecast& hybrid) {
  Json json = Json::parse(to_json(hybrid.forecast));
  json["stages"] = stages_json(hybrid.stages);
  if (hybrid.flops_utilisation > 0)
    json.update(Json{{"model_flops_utilisation", hybrid.flops_utilisation},
                     {"hardware_flops_utilisation", hybrid.hardware_utilisation}});
  return json.dump(2) + "\n";
}

std::string cases_json(const CaseResults& results) {
  Json json{{"version", STEPCAST_VERSION}};
  json["cases"] = Json::array();
  for (const PredictedCase& each : results.cases)
    json["cases"].push_back({{"set", each.row.set},
                             {"model", each.row.model},
                             {"gpus", each.row.gpus},
                             {"line", each.row.line},
                             {"schedule", each.schedule},
                             {"cluster", each.cluster},
                             {"device", each.device},
                             {"network", each.network},
                             {"experts", each.row.experts},
                             {"measured_s", each.row.measured.value},
                             {"predicted_s", each.predicted.value},
                             {"error", each.error()}});
  json["sets"] = Json::array();
  for (const CaseErrors& set : results.sets)
    json["sets"].push_back({{"set", set.set},
                            {"cases", set.cases},
                            {"median", set.median},
                            {"mean", set.mean},
                            {"p90", set.p90},
                            {"worst", set.worst},
                            {"signed", set.bias}});
  json["sweeps"] = Json::array();
  for (const LayoutSweep& sweep : layout_sweeps(results.cases))
    json["sweeps"].push_back({{"set", sweep.set},
                              {"model", sweep.model},
                              {"gpus", sweep.gpus},
                              {"global_batch", sweep.global_batch},
                              {"layouts", sweep.layouts},
                              {"lost", sweep.lost},
                              {"kendall_tau", sweep.tau}});
  json["left_out"] = Json::array();
  for (const auto& [reason, rows] : results.left_out)
    json["left_out"].push_back({{"reason", reason}, {"rows", rows}});
  return json.dump(2) + "\n";
}

}  // namespace stepcast
