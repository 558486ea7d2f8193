#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {
namespace {

void check_same_network(const Workload& a, const Workload& b) {
  const auto same = [](const Layer& left, const Layer& right) {
    return left.name == right.name && parameter_size(left) == parameter_size(right);
  };
  if (a.layers.size() != b.layers.size() || !std::ranges::equal(a.layers, b.layers, same))
    throw InputError(fmt::format("expected a workload with the layers of {}, found those of {}",
                                 a.name, b.name));
  if (a.batch == b.batch)
    throw InputError(
        fmt::format("expected another batch than {}, which {} has too", a.batch, b.name));
  if (a.device != b.device)
    throw InputError(fmt::format("expected a workload profiled on {}, found {} of {}", a.device,
                                 b.name, b.device));
}

Seconds on_line(Seconds from, Seconds to, double position) {
  return std::max(Seconds{}, from + (to - from) * position);
}

}  // namespace

BatchChange with_batch_in_part(Workload workload, std::uint32_t batch, double fixed) {
  if (batch == 0)
    throw InputError("batch: expected a whole number of at least 1, found 0");
  const std::uint32_t profiled = workload.batch;
  const double ratio = static_cast<double>(batch) / profiled;
  const double factor = fixed + (1 - fixed) * ratio;
  for (Layer& layer : workload.layers) {
    layer.forward = layer.forward * factor;
    layer.backward = layer.backward * factor;
    layer.activation = layer.activation * ratio;
  }
  workload.batch = batch;
  return {std::move(workload),
          fmt::format("batch {} from batch {}: {:.4g} % of each layer's time stays, the rest is "
                      "proportional",
                      batch, profiled, 100 * fixed)};
}

BatchChange with_batch_between(Workload workload, const Workload& other, std::uint32_t batch) {
  if (batch == 0)
    throw InputError("batch: expected a whole number of at least 1, found 0");
  check_same_network(workload, other);
  const double position = (static_cast<double>(batch) - workload.batch) /
                          (static_cast<double>(other.batch) - workload.batch);
  const char* how = position < 0 || position > 1 ? "extrapolated" : "interpolated";
  std::string sentence =
      fmt::format("batch {}: each layer {} between batch {} ({}) and batch {} ({})", batch, how,
                  workload.batch, workload.name, other.batch, other.name);
  for (std::size_t i = 0; i < workload.layers.size(); ++i) {
    Layer& layer = workload.layers[i];
    const Layer& there = other.layers[i];
    layer.forward = on_line(layer.forward, there.forward, position);
    layer.backward = on_line(layer.backward, there.backward, position);
    layer.activation = layer.activation * (static_cast<double>(batch) / workload.batch);
  }
  workload.batch = batch;
  return {std::move(workload), std::move(sentence)};
}

}  // namespace stepcast
