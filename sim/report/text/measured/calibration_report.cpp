#include "sim/report/text/measured/calibration_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/calibration_errors.hpp"

namespace stepcast {
namespace {

std::string shown_median(const ErrorSummary& errors) {
  return errors.cases == 0 ? "-" : percent(errors.median);
}

std::string shown_worst(const ErrorSummary& errors) {
  return errors.cases == 0 ? "-" : percent(errors.worst);
}

std::string layout_of(std::uint32_t ranks, std::uint32_t nodes) {
  return fmt::format("{} x {}", nodes, ranks / nodes);
}

std::vector<std::string> error_row(const Calibration& calibration,
                                   const PointSelection& selection) {
  const ErrorSummary left_out = errors_in(calibration.left_out, selection, PredictedBy::Curve);
  const ErrorSummary line = errors_in(calibration.left_out, selection, PredictedBy::AlphaBeta);
  const ErrorSummary fit = errors_in(calibration.fit, selection, PredictedBy::AlphaBeta);
  const ErrorSummary now = errors_in(calibration.now, selection, PredictedBy::Curve);
  return {shown_median(left_out), shown_worst(left_out), shown_median(line),
          shown_worst(line),      shown_median(fit),     shown_median(now)};
}

std::string error_table(const Calibration& calibration) {
  Table table{.columns = {{"collective", Align::Left},
                          {"GPUs"},
                          {"nodes"},
                          {"points"},
                          {"left out"},
                          {"curve"},
                          {"worst"},
                          {"a-b"},
                          {"worst"},
                          {"a-b fit"},
                          {"cluster"}}};
  for (const CollectiveCurve& curve : calibration.measured.curves) {
    const auto kept = std::ranges::count(curve.points, PointUse::Kept, &CurvePoint::use);
    std::vector<std::string> row = {
        name_of(curve.kind), std::to_string(curve.ranks), layout_of(curve.ranks, curve.nodes),
        std::to_string(curve.points.size()),
        std::to_string(curve.points.size() - static_cast<std::size_t>(kept))};
    std::ranges::move(error_row(calibration, {curve.kind, curve.ranks, curve.nodes}),
                      std::back_inserter(row));
    table.rows.push_back(std::move(row));
  }
  return render(table);
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

std::string where_of(const CurveFit& fit) {
  return fit.ranks_per_node == 0 ? "in a node" : fmt::format("{} a node", fit.ranks_per_node);
}

std::string fit_table(const Calibration& calibration) {
  Table table{.columns = {{"fit", Align::Left},
                          {"GPUs", Align::Left},
                          {"tree below"},
                          {"start-up of a ring step"},
                          {"bandwidth of a ring step"}}};
  for (const CurveFit& fit : calibration.measured.fits)
    table.rows.push_back({name_of(fit.kind), where_of(fit),
                          fit.tree_below > Bytes{} ? format_bytes(fit.tree_below) : "-",
                          format_seconds(fit.startup), format_bandwidth(fit.bandwidth)});
  return render(table);
}

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
            "\n" + fit_table(calibration);
  text += list_of("Notes", texts_of(calibration.notes));
  text += list_of("Left out", left_out) + list_of("Links", links);
  return text;
}

}  // namespace stepcast
