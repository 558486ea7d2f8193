// A bottleneck is what would save most if it took no time. The plan is that of the run: only times
// of tasks, sizes of messages and costs of the cluster are edited, so that order and overlap stay.
// Times become a billionth of themselves rather than zero, as a step of no time at all would have
// no iterations to count.
#include "sim/forecast/bottleneck.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/chance/seeded_run.hpp"
#include "sim/forecast/cost_estimate.hpp"
#include "sim/forecast/protocol_forecast.hpp"

namespace stepcast {
namespace {

constexpr double kVanishing = 1e-9;
constexpr double kLeastShown = 0.0005;  // shows as 0.1 %

/// The plan with tasks that `vanish` taking no time.
template <class Vanish>
Plan without_tasks(Plan plan, Vanish vanish) {
  std::vector<Task> tasks(plan.graph.tasks().begin(), plan.graph.tasks().end());
  for (Task& task : tasks)
    if (vanish(task))
      task.duration = task.duration * kVanishing;
  plan.graph = TaskGraph(std::move(tasks), plan.graph.edges());
  return plan;
}

bool is_host_work(const Plan& plan, const Task& task) {
  return task.kind != TaskKind::Communication && (task.on_host || task.stream == plan.host);
}

Plan without_compute(const Plan& plan) {
  return without_tasks(plan, [&](const Task& task) {
    return !communicates(plan, task) && !is_host_work(plan, task);
  });
}

Plan without_messages(const Plan& plan) {
  Plan free = without_tasks(plan, [&](const Task& task) { return communicates(plan, task); });
  for (PlannedCollective& planned : free.collectives) {
    planned.collective.size = {};
    planned.overhead = {};
    planned.ideal = true;
  }
  return free;
}

Plan without_host_work(const Plan& plan) {
  Plan free = without_tasks(plan, [&](const Task& task) { return is_host_work(plan, task); });
  for (Stream& stream : free.streams)
    if (auto* rule = std::get_if<Negotiated>(&stream.rule))
      rule->per_cycle = rule->per_tensor = {};
  return free;
}

Cluster without_launches(Cluster cluster) {
  cluster.software.collective_launch = cluster.software.point_to_point_launch = {};
  cluster.software.ps_per_partition = {};
  return cluster;
}

Cluster without_network(const Cluster& cluster) {
  Cluster free = without_launches(cluster);
  const auto make_free = [](Link& link) {
    link = {.bandwidth = link.bandwidth / kVanishing, .startup = link.startup * kVanishing};
  };
  make_free(free.intra_node);
  make_free(free.nic);
  free.nic_per_gpu = {};
  if (free.rack)
    *free.rack = {.nodes = free.rack->nodes};
  free.measured.reset();
  return free;
}

EngineOptions at_analytic(EngineOptions engine) {
  engine.fidelity = Fidelity::Analytic;
  return engine;
}

Seconds step_of(Plan plan, const Cluster& cluster, const EngineOptions& engine,
                const Chance& chance) {
  if (!engine.slow_down.is_chance())
    return step_time_of(plan, cluster, engine);
  const SeededRun run = simulate_seeds(plan, cluster, engine, chance);
  return mean_step_time(plan, run.timeline);
}

/// The longest step of a stage without the waits for other stages' compute.
Seconds step_without_bubble(const Forecast& forecast) {
  if (forecast.stages.size() < 2)
    return forecast.iteration_time;
  Seconds longest{};
  for (const StageForecast& stage : forecast.stages)
    longest = std::max(longest, forecast.iteration_time - stage.split.warm_up - stage.split.drain -
                                    stage.split.imbalance);
  return longest;
}

StepWithout what_if_of_plan(const ScheduleRun& run, const Scenario& scenario) {
  const auto step = [&](Plan plan, const Cluster& cluster, const EngineOptions& engine) {
    return step_of(std::move(plan), cluster, engine, scenario.chance);
  };
  return {
      .no_compute = step(without_compute(run.plan), scenario.cluster, run.engine),
      .no_network = step(without_messages(run.plan), without_network(scenario.cluster),
                         at_analytic(run.engine)),
      .no_host = step(without_host_work(run.plan), without_launches(scenario.cluster), run.engine),
      .no_bubble = step_without_bubble(run.forecast)};
}

/// An asynchronous schedule has no plan: its scenario is edited.
StepWithout what_if_of_scenario(const Scenario& scenario, const Forecast& forecast) {
  const auto step = [&](auto edit) {
    Scenario edited = scenario;
    edit(edited);
    return protocol_step(edited, forecast.schedule);
  };
  return {.no_compute = step([](Scenario& s) {
            for (Layer& layer : s.workload.layers) {
              layer.forward = layer.forward * kVanishing;
              layer.backward = layer.backward * kVanishing;
            }
            s.workload.update = s.workload.update * kVanishing;
          }),
          .no_network = step([](Scenario& s) {
            s.cluster = without_network(s.cluster);
            s.engine = at_analytic(s.engine);
          }),
          .no_host = step([](Scenario& s) {
            s.cluster = without_launches(s.cluster);
            s.workload = without_layers_of(kHostGap, std::move(s.workload));
          }),
          .no_bubble = forecast.iteration_time};
}

}  // namespace

void add_what_if(ScheduleRun& run, const Scenario& scenario) {
  Forecast& forecast = run.forecast;
  StepWithout what_if =
      run.workers_trace ? what_if_of_scenario(scenario, forecast) : what_if_of_plan(run, scenario);
  for (Seconds* step : {&what_if.no_compute, &what_if.no_network, &what_if.no_host})
    *step = std::min(*step, forecast.iteration_time);
  forecast.what_if = what_if;
  forecast.why.insert(forecast.why.begin(), "Bottleneck: " + bottleneck_of(forecast) + ".");
}

bool what_if_is_cheap(const ScheduleRun& run, const Scenario& scenario) {
  constexpr Seconds kShort{0.3};  // by an estimate that may be three times too low
  if (run.engine.slow_down.is_chance())
    return false;
  return run.workers_trace ? scenario.engine.fidelity == Fidelity::Analytic
                           : cost_estimate(run.plan, scenario.cluster, run.engine).time < kShort;
}

std::string bottleneck_of(const Forecast& forecast) {
  if (!forecast.what_if.is_known())
    return "";
  const std::vector<Saving> savings = savings_of(forecast.what_if, forecast.iteration_time);
  std::string others;
  for (const Saving& saving : std::span(savings).subspan(1))
    if (saving.share >= kLeastShown)
      others +=
          fmt::format("{}{} {}", others.empty() ? "" : ", ", saving.of, percent(saving.share));
  return fmt::format("{}: taking no time it would save {} of the step{}", savings.front().of,
                     percent(savings.front().share),
                     others.empty() ? "" : fmt::format(" ({})", others));
}

}  // namespace stepcast
