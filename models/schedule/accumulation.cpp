#include "models/schedule/accumulation.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stepcast {
namespace {

using Edges = std::vector<TaskGraph::Edge>;

Task pass_of(const Workload& workload, TaskKind kind, LayerId layer, std::uint32_t label,
             TeamId workers) {
  const Layer& profiled = workload.layers[layer];
  return {.kind = kind,
          .team = workers,
          .layer = layer,
          .label = label,
          .duration = kind == TaskKind::Forward ? profiled.forward : profiled.backward};
}

// One backward and one forward pass of the workers, named after the layers.
std::vector<Task> pass_between(const Workload& workload, std::uint32_t first_label,
                               TeamId workers) {
  std::vector<Task> tasks;
  const auto layers = static_cast<LayerId>(workload.layers.size());
  for (LayerId layer = layers; layer-- > 0;)
    tasks.push_back(pass_of(workload, TaskKind::Backward, layer, first_label + layer, workers));
  for (LayerId layer = 0; layer < layers; ++layer)
    tasks.push_back(pass_of(workload, TaskKind::Forward, layer, first_label + layer, workers));
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
  return places;
}

// Ids after `by` tasks have been added at each of `places` (ascending).
class Shift {
 public:
  Shift(std::span<const TaskId> places, std::size_t by) : places_(places), by_(by) {}

  TaskId operator()(TaskId id) const {
    const auto before = std::ranges::upper_bound(places_, id) - places_.begin();
    return static_cast<TaskId>(id + static_cast<std::size_t>(before) * by_);
  }

  void operator()(Edges& edges) const {
    for (auto& [before, after] : edges) {
      before = (*this)(before);
      after = (*this)(after);
    }
  }

 private:
  std::span<const TaskId> places_;
  std::size_t by_;
};

}  // namespace

OptionInfo accumulation_option() {
  return {.name = kAccumulation,
          .default_value = "1",
          .meaning = "forward and backward passes before gradients are communicated"};
}

Plan with_accumulation(Plan plan, const Workload& workload, std::uint32_t passes) {
  const std::vector<TaskId> places = places_of(plan);
  if (passes <= 1 || places.front() == plan.graph.size())
    return plan;
  const auto added = pass_between(workload, static_cast<std::uint32_t>(plan.labels.size()),
                                  plan.graph.task(places.front()).team);
  for (const Layer& layer : workload.layers)
    plan.labels.push_back(layer.name);
  std::vector<Task> tasks;
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const bool is_place = std::ranges::binary_search(places, id);
    for (std::uint32_t pass = 1; is_place && pass < passes; ++pass)
      tasks.insert(tasks.end(), added.begin(), added.end());
    tasks.push_back(plan.graph.task(id));
  }
  const Shift shift(places, added.size() * (passes - 1));
  Edges edges = plan.graph.edges();
  shift(edges);
  shift(plan.next);
  for (LaterEdge& edge : plan.later)
    edge = {shift(edge.before), shift(edge.after), edge.iterations};
  for (Quorum& quorum : plan.quorums)
    quorum.task = shift(quorum.task);
  for (TaskId& step : plan.later_steps)
    step = shift(step);
  plan.graph = TaskGraph(tasks, edges);
  return plan;
}

std::uint32_t passes_of(const Plan& plan) {
  std::uint32_t passes = 0;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    passes += plan.graph.task(id).kind == TaskKind::Forward && plan.graph.task(id).layer == 0;
  return std::max(1U, passes / steps_of(plan));
}

std::uint32_t workers_of(const Plan& plan) {
  const TaskId forward = first_of(plan, TaskKind::Forward);
  const TeamId team = forward < plan.graph.size() ? plan.graph.task(forward).team : TeamId{0};
  return static_cast<std::uint32_t>(plan.teams[team].ranks());
}

}  // namespace stepcast
