#include "models/schedule/accumulation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/options.hpp"
#include "models/schedule/plan_edit.hpp"

namespace stepcast {
namespace {

PhaseId phase_in(const Plan& plan, const Layer& layer, TaskKind kind) {
  const std::string_view name = phase_of_pass(layer);
  return static_cast<PhaseId>(name.empty()
                                  ? static_cast<std::ptrdiff_t>(kind)
                                  : std::ranges::find(plan.phases, name) - plan.phases.begin());
}

Task pass_of(const Plan& plan, const Workload& workload, TaskKind kind, LayerId layer,
             std::uint32_t label, TeamId workers) {
  const Layer& profiled = workload.layers[layer];
  return {.kind = kind,
          .on_host = profiled.kind == kHostGap,
          .phase = phase_in(plan, profiled, kind),
          .team = workers,
          .layer = layer,
          .label = label,
          .duration = kind == TaskKind::Forward ? profiled.forward : profiled.backward};
}

// One backward and one forward pass of the workers, named after the layers.
std::vector<Task> pass_between(const Plan& plan, const Workload& workload, TeamId workers) {
  const auto first_label = static_cast<std::uint32_t>(plan.labels.size());
  std::vector<Task> tasks;
  const auto layers = static_cast<LayerId>(workload.layers.size());
  for (LayerId layer = layers; layer-- > 0;)
    tasks.push_back(
        pass_of(plan, workload, TaskKind::Backward, layer, first_label + layer, workers));
  for (LayerId layer = 0; layer < layers; ++layer)
    tasks.push_back(
        pass_of(plan, workload, TaskKind::Forward, layer, first_label + layer, workers));
  return tasks;
}

TaskId first_of(const Plan& plan, TaskKind kind, TaskId from = 0) {
  TaskId id = from;
  while (id < plan.graph.size() && plan.graph.task(id).kind != kind)
    ++id;
  return id;
}

// Where the passes of each training step are added: before its first backward task.
std::vector<TaskId> places_of(const Plan& plan) {
  std::vector<TaskId> places = {first_of(plan, TaskKind::Backward)};
  for (const TaskId step : plan.later_steps)
    places.push_back(first_of(plan, TaskKind::Backward, step));
  std::ranges::sort(places);
  return places;
}

// Each pass is written out, in every step that is: of a period whose steps differ, in many.
void require_few_tasks(const Plan& plan, std::size_t steps, std::size_t layers,
                       std::uint32_t passes) {
  constexpr double kMost = 1'000'000;  // 250 MiB
  const double tasks = static_cast<double>(plan.graph.size()) + 2.0 * static_cast<double>(layers) *
                                                                    (passes - 1) *
                                                                    static_cast<double>(steps);
  if (tasks > kMost)
    throw InputError(fmt::format(
        "{}: option {}: expected a plan of at most {:.0f} tasks, found {:.0f} ({} passes of {} "
        "layers in {} steps that differ)",
        plan.schedule, kAccumulation, kMost, tasks, passes, layers, steps));
}

}  // namespace

OptionInfo accumulation_option() {
  return count_option(kAccumulation, "1",
                      "forward and backward passes before gradients are communicated", kRepeats);
}

Plan with_accumulation(Plan plan, const Workload& workload, std::uint32_t passes) {
  if (passes <= 1)
    return plan;
  const std::vector<TaskId> places = places_of(plan);
  if (places.front() == plan.graph.size())
    return plan;
  require_few_tasks(plan, places.size(), workload.layers.size(), passes);
  PlanEdit edit(plan);
  edit.result().summary.passes *= passes;
  edit.result().summary.samples *= passes;
  const auto added = pass_between(plan, workload, plan.graph.task(places.front()).team);
  for (const Layer& layer : workload.layers)
    edit.result().labels.push_back(layer.name);
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const bool is_place = std::ranges::binary_search(places, id);
    for (std::uint32_t pass = 1; is_place && pass < passes; ++pass)
      for (const Task& task : added)
        edit.insert(task);
    edit.keep(id);
  }
  return std::move(edit).apply();
}

}  // namespace stepcast
