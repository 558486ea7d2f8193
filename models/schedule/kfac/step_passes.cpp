#include <utility>

#include "models/schedule/kfac/step.hpp"
#include "models/schedule/passes.hpp"

// The passes of a step, and what is averaged over all ranks on the way: metrics and gradients.

namespace stepcast::kfac {
namespace {

Pending gradients_in_flight() {
  return {.phase = "update", .of = "gradients"};
}

}  // namespace

Seconds Step::time_before(std::size_t factor) const {
  const auto& layers = builder_.workload().layers;
  const LayerId layer = factors_[factor].layer;
  Seconds time = factors_[factor].construction + factors_[factor].packing;
  if (factor % 2 == 0)
    for (LayerId id = factor == 0 ? 0 : factors_[factor - 2].layer; id < layer; ++id)
      time += layers[id].forward;
  else
    for (LayerId id = layer;
         id < (factor + 2 < factors_.size() ? factors_[factor + 2].layer : layers.size()); ++id)
      time += layers[id].backward;
  return time;
}

Pending Step::passes(const std::function<void(std::size_t factor)>& hook) {
  const auto& layers = builder_.workload().layers;
  std::uint32_t kfac_layer = 0;
  TaskId backward_begin = kNone;  // what the backward pass waits for
  for (LayerId id = 0; id < layers.size(); ++id) {
    if (layers[id].kronecker)
      hook(2 * kfac_layer++);
    backward_begin = builder_.forward(id);
  }
  if (parts_.gradient_communication)
    backward_begin = average_metrics(backward_begin);
  has_passed_ = true;
  std::vector<TaskId> backward(layers.size());
  for (auto id = static_cast<LayerId>(layers.size()); id-- > 0;) {
    backward[id] = builder_.backward(id);
    if (layers[id].kronecker)
      hook(2 * --kfac_layer + 1);
  }
  if (!parts_.gradient_communication)
    return {};
  return all_reduce_gradients(backward, backward_begin);
}

// One after the other, and the host waits for each: so does the backward pass.
TaskId Step::average_metrics(TaskId forward_end) {
  TaskId last = forward_end;
  for (std::uint32_t i = 0; i < metrics_; ++i) {
    CommunicationOptions options = all_reduce_options(kMetricCommunication, false);
    options.after = {last};
    Pending metrics{"update", "metrics"};
    metrics.add(builder_.all_reduce("metric of training", kScalar, options));
    last = builder_.wait(metrics);
  }
  return last;
}

// Where the host issues the backward pass ahead of the GPU, Horovod knows of all gradients when it
// begins.
Pending Step::all_reduce_gradients(std::span<const TaskId> backward, TaskId backward_begin) {
  Pending reduced = gradients_in_flight();
  CommunicationOptions options = all_reduce_options(kGradientCommunication);
  for (const Gradient& gradient : gradients_in_ready_order(builder_.workload())) {
    options.after = {backward[gradient.layer]};
    reduced.add(builder_.all_reduce("gradient of " + gradient.name, gradient.size, options));
    if (run_ahead_)
      builder_.announce(reduced.tasks.back(), backward_begin);
  }
  return reduced;
}

}  // namespace stepcast::kfac
