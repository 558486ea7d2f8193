#include "sim/validate/validate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/schedule/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/tuning/tuned_fusion.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

constexpr MeasurementUse kUses[] = {MeasurementUse::Bandwidth, MeasurementUse::StartUp,
                                    MeasurementUse::Software, MeasurementUse::Check};

Validation predict(const MeasuredCase& measured, const Settings& extra, Fidelity fidelity) {
  const Experiment& experiment = measured.experiment;
  const Settings all = overlaid(experiment.settings, extra);
  const Cluster cluster = with_settings(load_cluster(experiment.cluster), all);
  const Settings settings = resolved_batch(all, cluster);
  const Workload workload = with_settings(load_workload(experiment.workload), settings);
  const std::string& schedule = experiment.schedules.front();
  const EngineOptions engine{.fidelity = fidelity, .stragglers = settings.stragglers};
  const ResolvedOptions resolved =
      resolve_fusion({workload, cluster, schedule, settings.schedule, engine});
  const Plan plan = build_plan(schedule, workload, cluster, resolved.options);
  return {.workload = experiment.workload,
          .cluster = experiment.cluster,
          .schedule = schedule,
          .gpus = cluster.ranks(),
          .use = measured.use,
          .measured = measured.measured,
          .predicted = step_time_of(plan, cluster, engine)};
}

std::string describe(MeasurementUse use) {
  return use == MeasurementUse::Check ? "check (predicted only)"
                                      : fmt::format("{} (fitted)", name_of(use));
}

// The cases of one cluster and one use, as a Markdown table.
std::string table_of(std::span<const Validation> validations, const std::string& cluster,
                     MeasurementUse use) {
  std::string rows;
  for (const Validation& each : validations)
    if (each.cluster == cluster && each.use == use)
      rows += fmt::format("| {:<26} | {:<8} | {:>4} | {:>8.4f} s | {:>9.4f} s | {:>+6.1f} % |\n",
                          each.workload, each.schedule, each.gpus, each.measured.value,
                          each.predicted.value, 100 * each.error());
  if (rows.empty())
    return {};
  return fmt::format("{}, {}\n\n", cluster, describe(use)) +
         fmt::format("| {:<26} | {:<8} | {:>4} | {:>10} | {:>11} | {:>8} |\n", "workload",
                     "schedule", "GPUs", "measured", "predicted", "error") +
         fmt::format("|{:-<28}|{:-<10}|{:->5}:|{:->11}:|{:->12}:|{:->9}:|\n", "", "", "", "", "",
                     "") +
         rows + "\n";
}

std::string summary_line(std::span<const Validation> validations, MeasurementUse use) {
  const ErrorSummary summary = summarise(validations, use);
  return fmt::format("{} cases for {}: median error {:.1f} %, worst {:.1f} %\n", summary.cases,
                     describe(use), 100 * summary.median, 100 * summary.worst);
}

std::vector<std::string> clusters_of(std::span<const Validation> validations) {
  std::vector<std::string> clusters;
  for (const Validation& each : validations)
    if (std::ranges::find(clusters, each.cluster) == clusters.end())
      clusters.push_back(each.cluster);
  return clusters;
}

}  // namespace

std::vector<Validation> validate(const Measurements& measurements, const Settings& extra,
                                 Fidelity fidelity) {
  std::vector<Validation> validations;
  for (const MeasuredCase& measured : measurements.cases)
    validations.push_back(predict(measured, extra, fidelity));
  return validations;
}

ErrorSummary summarise(std::span<const Validation> validations, MeasurementUse use) {
  std::vector<double> errors;
  for (const Validation& validation : validations)
    if (validation.use == use)
      errors.push_back(std::abs(validation.error()));
  if (errors.empty())
    return {};
  std::ranges::sort(errors);
  const std::size_t middle = errors.size() / 2;
  return {
      .cases = errors.size(),
      .median = errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2,
      .worst = errors.back()};
}

std::string render_validation(std::span<const Validation> validations) {
  std::string text;
  for (const std::string& cluster : clusters_of(validations))
    for (const MeasurementUse use : kUses)
      text += table_of(validations, cluster, use);
  for (const MeasurementUse use : kUses)
    if (summarise(validations, use).cases > 0)
      text += summary_line(validations, use);
  return text;
}

std::string validation_json(std::span<const Validation> validations) {
  nlohmann::ordered_json json;
  json["cases"] = nlohmann::ordered_json::array();
  for (const Validation& each : validations)
    json["cases"].push_back({{"workload", each.workload},
                             {"cluster", each.cluster},
                             {"schedule", each.schedule},
                             {"gpus", each.gpus},
                             {"use", name_of(each.use)},
                             {"measured_s", each.measured.value},
                             {"predicted_s", each.predicted.value},
                             {"error", each.error()}});
  for (const MeasurementUse use : kUses) {
    const ErrorSummary summary = summarise(validations, use);
    json["summary"][name_of(use)] = {
        {"cases", summary.cases}, {"median_error", summary.median}, {"worst_error", summary.worst}};
  }
  return json.dump(2) + "\n";
}

}  // namespace stepcast
