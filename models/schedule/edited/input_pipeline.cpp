#include "models/schedule/edited/input_pipeline.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/schedule/period.hpp"
#include "models/schedule/plan_edit.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kAhead = 2;  // prefetch_factor of PyTorch's DataLoader, by default.

/// The first forward pass of each training step, if it has one.
std::vector<TaskId> first_passes(const Plan& plan) {
  std::vector<TaskId> begins{0};
  begins.insert(begins.end(), plan.later_steps.begin(), plan.later_steps.end());
  begins.push_back(static_cast<TaskId>(plan.graph.size()));
  std::vector<TaskId> first;
  for (std::size_t step = 0; step + 1 < begins.size(); ++step)
    for (TaskId id = begins[step]; id < begins[step + 1]; ++id)
      if (plan.graph.task(id).kind == TaskKind::Forward) {
        first.push_back(id);
        break;
      }
  return first;
}

/// Work of the host on a new stream, but for its ranks.
Task input_of(Plan& plan, Seconds per_sample) {
  plan.streams.push_back({"input"});
  plan.phases.emplace_back("input");
  plan.labels.emplace_back("input");
  return {.kind = TaskKind::OtherCompute,
          .on_host = true,
          .phase = static_cast<PhaseId>(plan.phases.size() - 1),
          .stream = static_cast<StreamId>(plan.streams.size() - 1),
          .label = static_cast<std::uint32_t>(plan.labels.size() - 1),
          .duration = per_sample * (plan.summary.samples / plan.summary.workers)};
}

}  // namespace

Plan with_input(Plan plan, Seconds per_sample) {
  if (per_sample <= Seconds{})
    return plan;
  plan = unrolled(std::move(plan));  // the input runs ahead of steps that repeat
  const std::vector<TaskId> first = first_passes(plan);
  if (first.empty())
    return plan;
  PlanEdit edit(plan);
  Task input = input_of(edit.result(), per_sample);
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    if (std::ranges::binary_search(first, id)) {
      // A first pass waits for its input, and in turn lets another one begin.
      const TaskId read = edit.tasks();
      input.team = plan.graph.task(id).team;
      edit.insert(input);
      edit.edge(read, read + 1);
      edit.result().later.push_back({read + 1, read, kAhead});
    }
    edit.keep(id);
  }
  return std::move(edit).apply();
}

}  // namespace stepcast
