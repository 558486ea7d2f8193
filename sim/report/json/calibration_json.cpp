#include <nlohmann/json.hpp>

#include "models/collective/collective.hpp"
#include "sim/report/text/measured/calibration_report.hpp"
#include "sim/study/calibration_errors.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const ErrorSummary& errors) {
  if (errors.cases == 0)
    return nullptr;
  return {{"points", errors.cases}, {"median", errors.median}, {"worst", errors.worst}};
}

ordered_json errors_json(const Calibration& calibration, const PointSelection& selection) {
  return {
      {"left_one_out", json_of(errors_in(calibration.left_out, selection, PredictedBy::Curve))},
      {"left_one_out_alpha_beta",
       json_of(errors_in(calibration.left_out, selection, PredictedBy::AlphaBeta))},
      {"fit_alpha_beta", json_of(errors_in(calibration.fit, selection, PredictedBy::AlphaBeta))},
      {"cluster", json_of(errors_in(calibration.now, selection, PredictedBy::Curve))}};
}

const char* name_of(PointUse use) {
  return use == PointUse::Kept ? "kept" : use == PointUse::Outlier ? "outlier" : "pipelined";
}

ordered_json points_json(const Calibration& calibration, const CollectiveCurve& curve) {
  ordered_json points = ordered_json::array();
  for (const CurvePoint& point : curve.points) {
    const PointError* error = find_left_out(calibration, curve, point.size);
    points.push_back({{"size_bytes", point.size.value},
                      {"time_s", point.time.value},
                      {"use", name_of(point.use)}});
    if (error)
      points.back()["left_one_out_s"] = error->predicted.value;
  }
  return points;
}

ordered_json curve_json(const Calibration& calibration, const CollectiveCurve& curve) {
  return {{"collective", stepcast::name_of(curve.kind)},
          {"gpus", curve.ranks},
          {"nodes", curve.nodes},
          {"errors", errors_json(calibration, {curve.kind, curve.ranks, curve.nodes})},
          {"points", points_json(calibration, curve)}};
}

}  // namespace

std::string calibration_json(const Calibration& calibration) {
  ordered_json json;
  json["summed_from_bytes"] = kSummedFrom.value;
  json["curves"] = ordered_json::array();
  json["summary"] = ordered_json::array();
  json["fits"] = ordered_json::array();
  json["links"] = ordered_json::array();
  for (const CollectiveCurve& curve : calibration.measured.curves)
    json["curves"].push_back(curve_json(calibration, curve));
  for (const CollectiveKind kind : kinds_of(calibration.measured))
    json["summary"].push_back({{"collective", stepcast::name_of(kind)},
                               {"errors", errors_json(calibration, {.kind = kind})}});
  for (const CurveFit& fit : calibration.measured.fits)
    json["fits"].push_back({{"collective", stepcast::name_of(fit.kind)},
                            {"gpus_per_node", fit.ranks_per_node},
                            {"tree_below_bytes", fit.tree_below.value},
                            {"startup_s", fit.startup.value},
                            {"bandwidth_bytes_per_s", fit.bandwidth.value}});
  for (const CalibratedLink& link : calibration.links)
    json["links"].push_back({{"source", link.source},
                             {"bandwidth_bytes_per_s", link.bandwidth.value},
                             {"latency_s", link.latency.value}});
  json["notes"] = texts_of(calibration.notes);
  return json.dump(2) + "\n";
}

}  // namespace stepcast
