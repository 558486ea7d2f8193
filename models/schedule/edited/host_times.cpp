#include "models/schedule/edited/host_times.hpp"

namespace stepcast {

HostTimes::HostTimes(const Plan& plan, const Workload& workload, const Software& costs)
    : workload_(workload), costs_(costs), tensors_(static_cast<double>(tensor_count(workload))) {
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    updates_ += plan.graph.task(id).kind == TaskKind::Update ? 1 : 0;
  updates_ /= steps_of(plan);
}

Seconds HostTimes::launch(const Task& task) const {
  const Layer* layer = layer_of(task);
  switch (task.kind) {
    case TaskKind::Forward:
      return costs_.host_per_launch * (layer ? layer->forward_launches : 0);
    case TaskKind::Backward:
      return costs_.host_per_launch * (layer ? layer->backward_launches : 0);
    case TaskKind::Update:
      return costs_.host_per_update * (tensors_ * share_of(task));
    case TaskKind::OtherCompute:
      return !task.on_host && task.duration > Seconds{} ? costs_.host_per_launch : Seconds{};
    case TaskKind::Communication:
      return {};
  }
  return {};
}

Seconds HostTimes::hooks(const Task& task) const {
  const Layer* layer = task.kind == TaskKind::Backward ? layer_of(task) : nullptr;
  return costs_.host_per_gradient * (layer ? static_cast<double>(layer->parameters.size()) : 0.0);
}

Seconds HostTimes::hand_over(const Team& team) const {
  return team.group_size() > 1 ? costs_.host_per_collective : Seconds{};
}

const Layer* HostTimes::layer_of(const Task& task) const {
  return task.layer < workload_.layers.size() ? &workload_.layers[task.layer] : nullptr;
}

// Of all parameters, those that it updates; alike where the trace has no time for it.
double HostTimes::share_of(const Task& update) const {
  return workload_.update > Seconds{} ? update.duration / workload_.update : 1 / updates_;
}

}  // namespace stepcast
