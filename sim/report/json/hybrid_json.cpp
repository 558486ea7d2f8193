#include "sim/report/json/hybrid_json.hpp"

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/report/json/json.hpp"
#include "sim/report/json/study_json.hpp"
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

namespace {

Json rows_json(const std::vector<PredictedCase>& cases) {
  Json json = Json::array();
  for (const PredictedCase& each : cases) {
    json.push_back({{"set", each.row.set},
                    {"model", each.row.model},
                    {"gpus", each.row.gpus},
                    {"line", each.row.line},
                    {"schedule", each.schedule},
                    {"cluster", each.cluster},
                    {"device", each.device},
                    {"network", each.network},
                    {"experts", each.row.experts},
                    {"gated", each.form.gated},
                    {"tied", each.form.tied},
                    {"learned_positions", each.form.learned_positions},
                    {"guessed", each.form.guess},
                    {"measured_s", each.row.measured.value},
                    {"predicted_s", each.predicted.value},
                    {"error", each.error()}});
    add_likely(json.back(), each.likely, "predicted");
  }
  return json;
}

/// Reasons or guesses, each with its rows.
Json counted_json(const char* what, const std::map<std::string, CaseRows>& all) {
  Json json = Json::array();
  for (const auto& [text, of] : all)
    json.push_back({{what, text}, {"rows", of.rows}, {"first", of.first}});
  return json;
}

}  // namespace

std::string cases_json(const CaseResults& results) {
  Json json{{"version", STEPCAST_VERSION}, {"cases", rows_json(results.cases)}};
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
  json["left_out"] = counted_json("reason", results.left_out);
  json["guesses"] = counted_json("guess", results.guesses);
  return json.dump(2) + "\n";
}

}  // namespace stepcast
