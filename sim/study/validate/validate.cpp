#include "sim/study/validate/validate.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "models/base/archive.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/network_notes.hpp"
#include "sim/forecast/planned_run.hpp"
#include "sim/workers/workers.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

Notes notes_of(const Plan& plan, const Cluster& cluster, Fidelity fidelity) {
  Notes notes = curve_notes(plan, cluster, fidelity);
  if (std::optional<Note> costs = note_on_costs(cluster))
    notes.push_back(std::move(*costs));
  return notes;
}

/// What a worker tells of a case.
struct Prediction {
  std::uint32_t gpus = 0;
  Seconds time{};
  Notes notes{};
};

auto fields_of(Is<Prediction> auto& prediction) {
  auto& [gpus, time, notes] = prediction;
  return std::tie(gpus, time, notes);
}

/// Read once each by a worker; cases name the same few.
struct Inputs {
  std::map<std::string, Workload> workloads;
  std::map<std::string, Cluster> clusters;
};

template <class Value, class Load>
const Value& loaded(std::map<std::string, Value>& known, const std::string& name, Load load) {
  const auto found = known.find(name);
  return found != known.end() ? found->second : known.emplace(name, load(name)).first->second;
}

Prediction predict(const MeasuredCase& measured, const Settings& extra, Fidelity fidelity,
                   Inputs& inputs) {
  const Experiment& experiment = measured.experiment;
  const Settings all = overlaid(experiment.settings, extra);
  const Cluster cluster =
      with_settings(loaded(inputs.clusters, experiment.cluster, load_cluster), all);
  const std::string& schedule = experiment.schedules.front();
  const Settings settings =
      resolved_batch(all, cluster, training_ranks(schedule, cluster, all.schedule));
  const Workload workload =
      with_settings(loaded(inputs.workloads, experiment.workload, load_workload), settings);
  const EngineOptions engine{.fidelity = fidelity, .stragglers = settings.stragglers};
  const Plan plan = planned({workload, cluster, schedule, settings.schedule, engine}).plan;
  return {.gpus = plan.summary.workers,
          .time = step_time_of(plan, cluster, engine),
          .notes = notes_of(plan, cluster, fidelity)};
}

Validation validation_of(const MeasuredCase& measured, Prediction predicted) {
  return {.workload = measured.experiment.workload,
          .cluster = measured.experiment.cluster,
          .schedule = measured.experiment.schedules.front(),
          .label = measured.label,
          .gpus = predicted.gpus,
          .use = measured.use,
          .measured = measured.measured,
          .predicted = predicted.time,
          .notes = std::move(predicted.notes)};
}

template <class Predicate>
ErrorSummary summary_where(std::span<const Validation> validations, Predicate wanted) {
  std::vector<double> errors;
  for (const Validation& validation : validations)
    if (wanted(validation))
      errors.push_back(validation.error());
  return summary_of(std::move(errors));
}

}  // namespace

std::vector<Validation> validate(const std::vector<MeasuredCase>& cases, const Settings& extra,
                                 Fidelity fidelity, const ValidationRules& rules) {
  Inputs inputs;
  const auto work = [&](std::uint32_t number) {
    return bytes_of(predict(cases[number], extra, fidelity, inputs));
  };
  const auto count = static_cast<std::uint32_t>(cases.size());
  std::vector<Validation> validations;
  for (const std::string& bytes : run_on_workers(count, rules.workers, work, rules.predicted))
    validations.push_back(validation_of(cases[validations.size()], from_bytes<Prediction>(bytes)));
  return validations;
}

ErrorSummary summarise(std::span<const Validation> validations, MeasurementUse use) {
  return summary_where(validations, [&](const Validation& each) { return each.use == use; });
}

ErrorSummary summarise_checks(std::span<const Validation> validations, std::string_view schedule) {
  return summary_where(validations, [&](const Validation& each) {
    return each.use == MeasurementUse::Check && each.schedule == schedule;
  });
}

}  // namespace stepcast
