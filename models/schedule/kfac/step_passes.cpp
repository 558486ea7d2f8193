#include <utility>

#include "models/schedule/kfac/step.hpp"
#include "models/schedule/passes.hpp"

// The passes of a step, and what is averaged over all ranks on the way: metrics and gradients.

namespace stepcast::kfac {

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

void Step::passes(const std::function<void(std::size_t factor)>& hook) {
  const auto& layers = builder_.workload().layers;
  std::uint32_t kfac_layer = 0;
  for (LayerId id = 0; id < layers.size(); ++id) {
    if (layers[id].kronecker)
      hook(2 * kfac_layer++);
    backward_begin_ = latest_everywhere_ = builder_.forward(id);
  }
  if (parts_.gradient_communication)
    average_metrics();
  backward_begun_ = true;
  std::vector<TaskId> backward(layers.size());
  for (auto id = static_cast<LayerId>(layers.size()); id-- > 0;) {
    backward[id] = latest_everywhere_ = builder_.backward(id);
    if (layers[id].kronecker)
      hook(2 * --kfac_layer + 1);
  }
  if (!parts_.gradient_communication)
    return;
  if (run_ahead_)
    all_reduce_gradients(backward);
  else
    all_reduce_when_ready(backward);
}

// One after the other, and the host waits for each: so does the backward pass.
void Step::average_metrics() {
  for (std::uint32_t i = 0; i < metrics_; ++i) {
    CommunicationOptions options = all_reduce_options();
    options.fusable = false;
    const TaskId task = builder_.all_reduce("metric of training", kScalar, options);
    builder_.after(task, {backward_begin_});
    std::vector<TaskId> pending{task};
    backward_begin_ = wait("update of metrics", pending);
  }
}

void Step::all_reduce_when_ready(std::span<const TaskId> backward) {
  for (const Gradient& gradient : gradients_in_ready_order(builder_.workload())) {
    gradients_.push_back(
        builder_.all_reduce("gradient of " + gradient.name, gradient.size, all_reduce_options()));
    builder_.after(gradients_.back(), {backward[gradient.layer]});
  }
}

// The host issues the backward pass ahead of the GPU, so Horovod knows of all gradients early; a
// fused buffer starts when the last of its gradients is there.
void Step::all_reduce_gradients(std::span<const TaskId> backward) {
  const auto gradients = gradients_in_ready_order(builder_.workload());
  const TaskId negotiated = builder_.compute(
      "negotiation of gradients", rule_.per_tensor * static_cast<double>(gradients.size()), 0,
      builder_.stream("coordinator"));
  builder_.after(negotiated, {backward_begin_});
  CommunicationOptions options = all_reduce_options();
  options.fusable = false;
  Bytes filled{};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    filled += gradients[i].size;
    if (i + 1 < gradients.size() && filled + gradients[i + 1].size <= rule_.fusion)
      continue;
    gradients_.push_back(builder_.all_reduce("gradient of " + gradients[i].name + " and before",
                                             std::exchange(filled, {}), options));
    builder_.after(gradients_.back(), {negotiated, backward[gradients[i].layer]});
  }
}

}  // namespace stepcast::kfac
