#include "sim/report/text/measured/calibration_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "sim/report/fields/reading.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/calibration_errors.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

/// What predicts a point, and whether the report shows the worst beside the median.
struct Prediction {
  const char* key;
  std::vector<PointError> Calibration::*errors;
  PredictedBy by;
  const char* heading;
  bool worst = false;
};

constexpr std::array kPredictions = std::to_array<Prediction>({
    {"left_one_out", &Calibration::left_out, PredictedBy::Curve, "curve", true},
    {"left_one_out_alpha_beta", &Calibration::left_out, PredictedBy::AlphaBeta, "a-b", true},
    {"fit_alpha_beta", &Calibration::fit, PredictedBy::AlphaBeta, "a-b fit"},
    {"cluster", &Calibration::now, PredictedBy::Curve, "cluster"},
});

std::string shown(const ErrorSummary& errors, double share) {
  return errors.cases == 0 ? "-" : percent(share);
}

std::string layout_of(std::uint32_t ranks, std::uint32_t nodes) {
  return fmt::format("{} x {}", nodes, ranks / nodes);
}

PointSelection points_of(const CollectiveCurve& curve) {
  return {curve.kind, curve.ranks, curve.nodes};
}

std::string error_table(const Calibration& calibration) {
  Table table{
      .columns = {{"collective", Align::Left}, {"GPUs"}, {"nodes"}, {"points"}, {"left out"}}};
  for (const Prediction& prediction : kPredictions) {
    table.columns.push_back({prediction.heading});
    if (prediction.worst)
      table.columns.push_back({"worst"});
  }
  for (const CollectiveCurve& curve : calibration.measured.curves) {
    const auto kept = std::ranges::count(curve.points, PointUse::Kept, &CurvePoint::use);
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {name_of(curve.kind), std::to_string(curve.ranks), layout_of(curve.ranks, curve.nodes),
           std::to_string(curve.points.size()), std::to_string(std::ssize(curve.points) - kept)};
    for (const Prediction& prediction : kPredictions) {
      const ErrorSummary errors =
          errors_in(calibration.*prediction.errors, points_of(curve), prediction.by);
      row.push_back(shown(errors, errors.median));
      if (prediction.worst)
        row.push_back(shown(errors, errors.worst));
    }
  }
  return render(table);
}

ordered_json errors_json(const Calibration& calibration, const PointSelection& selection) {
  ordered_json json;
  for (const Prediction& prediction : kPredictions) {
    const ErrorSummary errors = errors_in(calibration.*prediction.errors, selection, prediction.by);
    if (errors.cases == 0)
      json[prediction.key] = nullptr;
    else
      json[prediction.key] = {
          {"points", errors.cases}, {"median", errors.median}, {"worst", errors.worst}};
  }
  return json;
}

std::string summary_line(const Calibration& calibration, CollectiveKind kind) {
  const ErrorSummary kept = errors_in(calibration.left_out, {.kind = kind}, PredictedBy::Curve);
  const ErrorSummary all =
      errors_in(calibration.left_out, {.kind = kind, .with_outliers = true}, PredictedBy::Curve);
  const ErrorSummary line = errors_in(calibration.left_out, {.kind = kind}, PredictedBy::AlphaBeta);
  if (kept.cases == 0)
    return fmt::format("{}: one rank count only, so none can be predicted from the others",
                       name_of(kind));
  std::string text = fmt::format("{}: median {} over {} points, alpha-beta {}", name_of(kind),
                                 percent(kept.median), kept.cases, percent(line.median));
  if (all.cases > kept.cases)
    text += fmt::format("; counting outliers too: {} over {}", percent(all.median), all.cases);
  return text;
}

std::string where_of(const ordered_json& ranks_per_node) {
  return ranks_per_node == 0 ? "in a node"
                             : fmt::format("{} a node", ranks_per_node.get<std::uint32_t>());
}

std::string size_or_none(const ordered_json& value) {
  return value > 0 ? format_bytes({value.get<double>()}) : "-";
}

constexpr std::array kFitFields = std::to_array<Field<CurveFit>>({
    {"collective", Unit::Name, [](const CurveFit& fit) { return ordered_json(name_of(fit.kind)); },
     "", "", "fit"},
    {"gpus_per_node", Unit::Name, of<&CurveFit::ranks_per_node>, "", "", "GPUs", 0, where_of},
    {"tree_below_bytes", Unit::Bytes, of<&CurveFit::tree_below>, "", "", "tree below", 0,
     size_or_none},
    {"startup_s", Unit::Time, of<&CurveFit::startup>, "", "", "start-up of a ring step"},
    {"bandwidth_bytes_per_s", Unit::BytesPerSecond, of<&CurveFit::bandwidth>, "", "",
     "bandwidth of a ring step"},
});

constexpr std::array kLinkFields = std::to_array<Field<CalibratedLink>>({
    {"source", Unit::Text, of<&CalibratedLink::source>},
    {"bandwidth_bytes_per_s", Unit::BytesPerSecond, of<&CalibratedLink::bandwidth>},
    {"latency_s", Unit::Time, of<&CalibratedLink::latency>},
});

/// Neighbouring points of a curve that were left out for the same reason.
struct LeftOut {
  const CollectiveCurve* curve = nullptr;
  PointUse use = PointUse::Outlier;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<LeftOut> left_out_of(const MeasuredCollectives& measured) {
  std::vector<LeftOut> runs;
  for (const CollectiveCurve& curve : measured.curves) {
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const PointUse use = curve.points[i].use;
      if (use == PointUse::Kept)
        continue;
      if (i > 0 && curve.points[i - 1].use == use)
        runs.back().last = i;
      else
        runs.push_back({&curve, use, i, i});
    }
  }
  return runs;
}

const char* reason_of(PointUse use) {
  switch (use) {
    case PointUse::Outlier:
      return "outliers: far off the other rank counts at the same chunk, or slower than half of "
             "what the curve had reached; the others predict them";
    case PointUse::Pipelined:
      return "no slower than with fewer ranks: overlapping repetitions, a rate and not a latency; "
             "such sizes take the time of the smallest chunk kept";
    case PointUse::Kept:
      break;
  }
  return "";
}

std::string left_out_line(const Calibration& calibration, const LeftOut& run) {
  const CurvePoint& first = run.curve->points[run.first];
  const CurvePoint& last = run.curve->points[run.last];
  std::string text =
      fmt::format("{} on {} GPUs, {} to {}: {}", name_of(run.curve->kind), run.curve->ranks,
                  format_bytes(first.size), format_bytes(last.size), reason_of(run.use));
  const PointError* error = find_left_out(calibration, *run.curve, last.size);
  if (run.use == PointUse::Outlier && error)
    text += fmt::format(" ({} measured, {} predicted at {})", format_seconds(last.time),
                        format_seconds(error->predicted), format_bytes(last.size));
  return text;
}

std::string link_line(const CalibratedLink& link) {
  std::string text = link.source + ":";
  if (link.bandwidth > BytesPerSecond{})
    text += fmt::format(" bandwidth {} (cluster.nic.bandwidth={:.4g}GBps)",
                        format_bandwidth(link.bandwidth), link.bandwidth.value * 1e-9);
  if (link.latency > Seconds{})
    text += fmt::format(" latency {} (cluster.nic.startup={:.4g}us)", format_seconds(link.latency),
                        link.latency.value * 1e6);
  return text;
}

const char* word_of(PointUse use) {
  return use == PointUse::Kept ? "kept" : use == PointUse::Outlier ? "outlier" : "pipelined";
}

ordered_json points_json(const Calibration& calibration, const CollectiveCurve& curve) {
  ordered_json points = ordered_json::array();
  for (const CurvePoint& point : curve.points) {
    const PointError* error = find_left_out(calibration, curve, point.size);
    points.push_back({{"size_bytes", point.size.value},
                      {"time_s", point.time.value},
                      {"use", word_of(point.use)}});
    if (error)
      points.back()["left_one_out_s"] = error->predicted.value;
  }
  return points;
}

ordered_json curve_json(const Calibration& calibration, const CollectiveCurve& curve) {
  return {{"collective", name_of(curve.kind)},
          {"gpus", curve.ranks},
          {"nodes", curve.nodes},
          {"errors", errors_json(calibration, points_of(curve))},
          {"points", points_json(calibration, curve)}};
}

}  // namespace

std::string render_calibration(const Calibration& calibration) {
  std::string text;
  std::vector<std::string> summary;
  std::vector<std::string> left_out;
  std::vector<std::string> links;
  for (const CollectiveKind kind : kinds_of(calibration.measured))
    summary.push_back(summary_line(calibration, kind));
  for (const LeftOut& run : left_out_of(calibration.measured))
    left_out.push_back(left_out_line(calibration, run));
  for (const CalibratedLink& link : calibration.links)
    links.push_back(link_line(link));
  if (!calibration.measured.curves.empty())
    text += wrap(fmt::format("Absolute errors at {} and above. curve, a-b: the rank count "
                             "predicted from the others, by the curves and by an alpha-beta line "
                             "(median, worst); a-b fit: the line fitted to all; cluster: what the "
                             "given cluster predicts.",
                             format_bytes(kSummedFrom)),
                 0) +
            "\n" + error_table(calibration) + list_of("Each rank count from the others", summary) +
            "\n" + render(table_of(span_of(kFitFields), calibration.measured.fits));
  text += list_of("Notes", texts_of(calibration.notes));
  text += list_of("Left out", left_out) + list_of("Links", links);
  return text;
}

std::string calibration_json(const Calibration& calibration) {
  ordered_json json;
  json["summed_from_bytes"] = kSummedFrom.value;
  json["curves"] = ordered_json::array();
  json["summary"] = ordered_json::array();
  json["fits"] = json_of(span_of(kFitFields), calibration.measured.fits);
  json["links"] = json_of(span_of(kLinkFields), calibration.links);
  for (const CollectiveCurve& curve : calibration.measured.curves)
    json["curves"].push_back(curve_json(calibration, curve));
  for (const CollectiveKind kind : kinds_of(calibration.measured))
    json["summary"].push_back(
        {{"collective", name_of(kind)}, {"errors", errors_json(calibration, {.kind = kind})}});
  json["notes"] = texts_of(calibration.notes);
  return printed(json);
}

}  // namespace stepcast
