#include "sim/report/json/cases_json.hpp"

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"
#include "sim/study/validate/cases/layout_choice.hpp"

namespace stepcast {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order of writing

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
  return printed(json);
}

}  // namespace stepcast
