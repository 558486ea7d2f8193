#include "sim/study/validate/validate.hpp"

#include <map>
#include <string>
#include <utility>

#include "models/schedule/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/network_notes.hpp"
#include "sim/study/tuning/tuned_fusion.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

Notes notes_of(const Plan& plan, const Cluster& cluster, Fidelity fidelity) {
  Notes notes = curve_notes(plan, cluster, fidelity);
  if (std::optional<Note> costs = note_on_costs(cluster))
    notes.push_back(std::move(*costs));
  return notes;
}

/// Read once each; cases name the same few.
struct Inputs {
  std::map<std::string, Workload> workloads;
  std::map<std::string, Cluster> clusters;
};

template <class Value, class Load>
const Value& loaded(std::map<std::string, Value>& known, const std::string& name, Load load) {
  const auto found = known.find(name);
  return found != known.end() ? found->second : known.emplace(name, load(name)).first->second;
}

Validation predict(const MeasuredCase& measured, const Settings& extra, Fidelity fidelity,
                   Inputs& inputs) {
  const Experiment& experiment = measured.experiment;
  const Settings all = overlaid(experiment.settings, extra);
  const Cluster cluster =
      with_settings(loaded(inputs.clusters, experiment.cluster, load_cluster), all);
  const Settings settings = resolved_batch(all, cluster);
  const Workload workload =
      with_settings(loaded(inputs.workloads, experiment.workload, load_workload), settings);
  const std::string& schedule = experiment.schedules.front();
  const EngineOptions engine{.fidelity = fidelity, .stragglers = settings.stragglers};
  const Plan plan = planned({workload, cluster, schedule, settings.schedule, engine}).plan;
  return {.workload = experiment.workload,
          .cluster = experiment.cluster,
          .schedule = schedule,
          .label = measured.label,
          .gpus = plan.summary.workers,
          .use = measured.use,
          .measured = measured.measured,
          .predicted = step_time_of(plan, cluster, engine),
          .notes = notes_of(plan, cluster, fidelity)};
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

std::vector<Validation> validate(const Measurements& measurements, const Settings& extra,
                                 Fidelity fidelity, const std::function<void()>& predicted) {
  std::vector<Validation> validations;
  Inputs inputs;
  for (const MeasuredCase& measured : measurements.cases) {
    validations.push_back(predict(measured, extra, fidelity, inputs));
    predicted();
  }
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
