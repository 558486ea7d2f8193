#include "sim/report/text/measured/validation_report.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/forecast/shared_notes.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

using Validations = std::vector<Validation>;

constexpr MeasurementUse kUses[] = {MeasurementUse::Bandwidth, MeasurementUse::Overlap,
                                    MeasurementUse::StartUp, MeasurementUse::Software,
                                    MeasurementUse::Check};

std::string describe(MeasurementUse use) {
  return use == MeasurementUse::Check ? "check (predicted only)"
                                      : fmt::format("{} (fitted)", name_of(use));
}

std::string schedule_text(const Validation& validation) {
  return validation.label.empty() ? validation.schedule
                                  : fmt::format("{}: {}", validation.schedule, validation.label);
}

std::string cell_text(const Validation& validation) {
  return fmt::format("{:.4f} {:.4f} {:>+6.1f} %", validation.measured.value,
                     validation.predicted.value, 100 * validation.error());
}

template <class Predicate>
Validations those(std::span<const Validation> validations, Predicate wanted) {
  Validations chosen;
  std::ranges::copy_if(validations, std::back_inserter(chosen), wanted);
  return chosen;
}

/// Columns as wide as their widest entry, and as those of other tables at least.
struct Widths {
  std::size_t workload = 25;
  std::size_t cell = 22;
};

Widths widths_of(const Validations& cases) {
  Widths widths;
  for (const Validation& each : cases) {
    widths.workload = std::max(widths.workload, each.workload.size());
    widths.cell = std::max(widths.cell, cell_text(each).size());
  }
  return widths;
}

/// A line for each pair of workload and schedule.
std::string lines_of(const Validations& cases, const std::set<std::uint32_t>& sizes,
                     const Widths& widths) {
  const auto key = [&widths](const Validation& each) {
    return fmt::format("| {:<{}} | {:<20} |", each.workload, widths.workload, schedule_text(each));
  };
  std::string text;
  for (const std::string& row : distinct(cases, key)) {
    text += row;
    for (const std::uint32_t gpus : sizes) {
      const auto found = std::ranges::find_if(
          cases, [&](const Validation& each) { return key(each) == row && each.gpus == gpus; });
      text += fmt::format(" {:<{}} |", found == cases.end() ? "" : cell_text(*found), widths.cell);
    }
    text += '\n';
  }
  return text;
}

/// Cases of one cluster and one use.
std::string table_of(const Validations& cases) {
  std::set<std::uint32_t> sizes;
  for (const Validation& each : cases)
    sizes.insert(each.gpus);
  const Widths widths = widths_of(cases);
  std::string heading = fmt::format("| {:<{}} | {:<20} |", "workload", widths.workload, "schedule");
  std::string rule = fmt::format("|{:-<{}}|{:-<22}|", "", widths.workload + 2, "");
  for (const std::uint32_t gpus : sizes) {
    heading += fmt::format(" {:<{}} |", fmt::format("{} GPUs", gpus), widths.cell);
    rule += fmt::format("{:-<{}}|", "", widths.cell + 2);
  }
  return heading + "\n" + rule + "\n" + lines_of(cases, sizes, widths) + "\n";
}

std::string summary_line(const std::string& what, const ErrorSummary& summary) {
  return fmt::format("{} cases for {}: median error {:.1f} %, worst {:.1f} %\n", summary.cases,
                     what, 100 * summary.median, 100 * summary.worst);
}

nlohmann::ordered_json summary_json(const ErrorSummary& summary) {
  return {
      {"cases", summary.cases}, {"median_error", summary.median}, {"worst_error", summary.worst}};
}

nlohmann::ordered_json case_json(const Validation& each) {
  return {{"workload", each.workload},
          {"cluster", each.cluster},
          {"schedule", each.schedule},
          {"label", each.label},
          {"gpus", each.gpus},
          {"use", name_of(each.use)},
          {"measured_s", each.measured.value},
          {"predicted_s", each.predicted.value},
          {"error", each.error()},
          {"notes", texts_of(each.notes)}};
}

std::vector<std::string> checked_schedules(std::span<const Validation> validations) {
  const Validations checks =
      those(validations, [](const Validation& each) { return each.use == MeasurementUse::Check; });
  return distinct(checks, &Validation::schedule);
}

std::string checks_by_schedule(std::span<const Validation> validations) {
  std::string text = "\n| check cases of  | cases | median error |   worst |\n";
  text += fmt::format("|{:-<17}|{:->6}:|{:->13}:|{:->8}:|\n", "", "", "", "");
  for (const std::string& schedule : checked_schedules(validations)) {
    const ErrorSummary summary = summarise_checks(validations, schedule);
    text += fmt::format("| {:<15} | {:>5} | {:>10.1f} % | {:>5.1f} % |\n", schedule, summary.cases,
                        100 * summary.median, 100 * summary.worst);
  }
  return text;
}

std::string notes_on(std::span<const Validation> validations) {
  SharedNotes notes;
  for (const Validation& each : validations)
    notes.add(fmt::format("{} GPUs of {}", each.gpus, each.cluster), each.notes);
  const std::string text = text_of(notes);
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string render_validation(std::span<const Validation> validations) {
  std::string text = "Measured and predicted seconds an iteration, and the error.\n\n";
  for (const std::string& cluster : distinct(validations, &Validation::cluster))
    for (const MeasurementUse use : kUses) {
      const Validations cases = those(validations, [&](const Validation& each) {
        return each.cluster == cluster && each.use == use;
      });
      if (!cases.empty())
        text += fmt::format("{}, {}\n\n", cluster, describe(use)) + table_of(cases);
    }
  for (const MeasurementUse use : kUses) {
    const ErrorSummary summary = summarise(validations, use);
    if (summary.cases > 0)
      text += summary_line(describe(use), summary);
  }
  if (!checked_schedules(validations).empty())
    text += checks_by_schedule(validations);
  return text + notes_on(validations);
}

std::string validation_json(std::span<const Validation> validations) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION}};
  json["cases"] = nlohmann::ordered_json::array();
  for (const Validation& each : validations)
    json["cases"].push_back(case_json(each));
  for (const MeasurementUse use : kUses)
    json["summary"][name_of(use)] = summary_json(summarise(validations, use));
  json["checks_by_schedule"] = nlohmann::ordered_json::object();
  for (const std::string& schedule : checked_schedules(validations))
    json["checks_by_schedule"][schedule] = summary_json(summarise_checks(validations, schedule));
  return printed(json);
}

}  // namespace stepcast
