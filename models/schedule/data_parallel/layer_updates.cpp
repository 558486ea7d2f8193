#include "models/schedule/data_parallel/layer_updates.hpp"

#include <fmt/format.h>

namespace stepcast {

GatedForward gated_forward_pass(Builder& builder) {
  GatedForward forward;
  const auto& layers = builder.workload().layers;
  if (builder.workload().update > Seconds{} && tensor_count(builder.workload()) == 0)
    builder.update();  // Whose parameters is not known.
  for (LayerId layer = 0; layer < layers.size(); ++layer) {
    const bool trains = !layers[layer].parameters.empty();
    const double share = share_of_update(builder.workload(), layer, layer);
    forward.updates.push_back(
        trains ? builder.update(fmt::format("update of {}", layers[layer].name), {}, share)
               : kNone);
    builder.forward(layer);
  }
  return forward;
}

std::vector<TaskId> backward_pass_with_hooks(Builder& builder, Seconds per_tensor) {
  const auto& layers = builder.workload().layers;
  std::vector<TaskId> ready(layers.size());
  for (auto layer = static_cast<LayerId>(layers.size()); layer-- > 0;) {
    ready[layer] = builder.backward(layer);
    const auto tensors = static_cast<double>(layers[layer].parameters.size());
    if (tensors > 0 && per_tensor > Seconds{})
      ready[layer] =
          builder.compute("hooks", layers[layer].name, per_tensor * tensors, {.on_host = true});
  }
  return ready;
}

}  // namespace stepcast
