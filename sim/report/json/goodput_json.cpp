#include "sim/report/json/goodput_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of writing

Json band_json(const FaultBand& band) {
  return {{"low", band.low}, {"high", band.high}};
}

void add_quantile(Json& json, const std::string& name, const ShareQuantile& quantile) {
  json[name] = quantile.value;
  if (quantile.low > 0)
    json[name + "_low"] = quantile.low;
  if (quantile.high > 0)
    json[name + "_high"] = quantile.high;
}

Json shares_json(const JobLife& shares) {
  return {{"checkpoints", shares.checkpoints},
          {"lost", shares.lost},
          {"restarting", shares.restarting},
          {"waiting", shares.waiting},
          {"slowed", shares.slowed}};
}

Json outlook_json(const FaultOutlook& outlook) {
  return {{"faults", outlook.faults},
          {"dispersion", outlook.dispersion},
          {"poisson", band_json(outlook.poisson)},
          {"bursts", band_json(outlook.bursts)},
          {"trust", outlook.trust_bursts ? "bursts" : "poisson"}};
}

void add_training(Json& json, const GoodputAnswer& answer) {
  const TrainingForecast& training = *answer.question.training;
  json["samples_per_s"] = training.samples_per_s;
  json["kept_samples_per_s"] = answer.kept_samples_per_s;
  json["step_s"] = training.step.value;
  json["sizes"] = Json::array();
  for (const auto& [size, step] : *training.steps)
    json["sizes"].push_back(
        {{"nodes", size.first}, {"link_share", size.second}, {"step_s", step.value}});
  if (answer.hours)
    json["hours"] = {{"p50", answer.hours->p50}, {"p95", answer.hours->p95}};
  if (answer.cost)
    json["cost"] = {{"p50", answer.cost->p50}, {"p95", answer.cost->p95}};
}

}  // namespace

std::string goodput_json(const GoodputAnswer& answer) {
  const Goodput& goodput = answer.goodput;
  Json json{{"version", STEPCAST_VERSION},
            {"interval_s", goodput.interval.value},
            {"efficiency", goodput.efficiency}};
  add_quantile(json, "efficiency_p5", goodput.p5);
  add_quantile(json, "efficiency_p50", goodput.p50);
  add_quantile(json, "efficiency_p95", goodput.p95);
  json["shares"] = shares_json(goodput.shares);
  json["mtbf_s"] = goodput.mtbf.value;
  json["faults"] = goodput.faults;
  json["length_s"] = goodput.length.value;
  json["seeds"] = goodput.seeds;
  json["daly_interval_s"] = goodput.daly_interval.value;
  json["daly_efficiency"] = goodput.daly_efficiency;
  json["spares"] = answer.question.request.spares;
  if (answer.remedy)
    json["spares_remedy"] = {{"spares", answer.remedy->spares},
                             {"policy_restart", answer.remedy->restarts},
                             {"efficiency", answer.remedy->efficiency}};
  json["goodput"] = answer.goodput_share;
  if (answer.question.training)
    add_training(json, answer);
  if (!answer.spares_tried.empty())
    json["spares_tried"] = Json::array();
  for (const SparesTried& tried : answer.spares_tried)
    json["spares_tried"].push_back(
        {{"spares", tried.spares}, {"efficiency", tried.efficiency}, {"of_all_nodes", tried.paid}});
  if (goodput.outlook)
    json["outlook"] = outlook_json(*goodput.outlook);
  json["warnings"] = answer.warnings;
  return printed(json);
}

}  // namespace stepcast
