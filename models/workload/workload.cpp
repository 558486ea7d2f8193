#include "models/workload/workload.hpp"

#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/text.hpp"

namespace stepcast {

namespace {

/// Sums `value(layer)` over the layers.
template <class T, class Value>
T sum_over_layers(const Workload& workload, Value value) {
  return std::accumulate(workload.layers.begin(), workload.layers.end(), T{},
                         [&](T sum, const Layer& layer) { return sum + value(layer); });
}

void scale_times(Workload& workload, double factor) {
  for (Layer& layer : workload.layers) {
    layer.forward = layer.forward * factor;
    layer.backward = layer.backward * factor;
  }
}

}  // namespace

Bytes size_of(DataType dtype) {
  switch (dtype) {
    case DataType::Float64:
      return {8};
    case DataType::Float32:
      return {4};
    case DataType::Float16:
    case DataType::BFloat16:
      return {2};
    case DataType::Int8:
      return {1};
  }
  return {0};
}

bool is_named_as_matrix(const Layer& layer, const Parameter& parameter) {
  return layer.kind.find("Norm") == std::string::npos && parameter.name.ends_with("weight");
}

Workload with_matrices_by_name(Workload workload) {
  for (Layer& layer : workload.layers)
    for (Parameter& parameter : layer.parameters)
      parameter.matrix = is_named_as_matrix(layer, parameter);
  return workload;
}

Bytes size_of(const Parameter& parameter) {
  return static_cast<double>(parameter.elements) * size_of(parameter.dtype);
}

Bytes parameter_size(const Layer& layer) {
  Bytes size;
  for (const Parameter& parameter : layer.parameters)
    size += size_of(parameter);
  return size;
}

Bytes parameter_size(const Workload& workload) {
  return sum_over_layers<Bytes>(workload, [](const Layer& layer) { return parameter_size(layer); });
}

std::uint64_t parameter_count(const Layer& layer) {
  std::uint64_t count = 0;
  for (const Parameter& parameter : layer.parameters)
    count += parameter.elements;
  return count;
}

std::uint64_t parameter_count(const Workload& workload) {
  return sum_over_layers<std::uint64_t>(workload,
                                        [](const Layer& layer) { return parameter_count(layer); });
}

std::size_t tensor_count(const Workload& workload) {
  return sum_over_layers<std::size_t>(workload,
                                      [](const Layer& layer) { return layer.parameters.size(); });
}

Seconds forward_time(const Workload& workload) {
  return sum_over_layers<Seconds>(workload, [](const Layer& layer) { return layer.forward; });
}

Seconds backward_time(const Workload& workload) {
  return sum_over_layers<Seconds>(workload, [](const Layer& layer) { return layer.backward; });
}

Seconds compute_time(const Workload& workload) {
  return forward_time(workload) + backward_time(workload) + workload.update;
}

double share_of_update(const Workload& workload, LayerId first, LayerId last) {
  const auto all = static_cast<double>(parameter_count(workload));
  double own = 0;
  for (LayerId id = first; id <= last; ++id)
    own += static_cast<double>(parameter_count(workload.layers[id]));
  return all > 0 ? own / all : 0;
}

Seconds host_gap_time(const Workload& workload) {
  return sum_over_layers<Seconds>(workload, [](const Layer& layer) {
    return layer.kind == kHostGap ? layer.forward + layer.backward : Seconds{};
  });
}

Workload without_layers_of(std::string_view kind, Workload workload) {
  for (Layer& layer : workload.layers)
    if (layer.kind == kind)
      layer.forward = layer.backward = {};
  return workload;
}

void check_step_time(Seconds step_time) {
  constexpr Seconds kLeast{1e-6};
  constexpr Seconds kMost{86400};
  if (!(step_time > Seconds{}))
    throw InputError(
        fmt::format("expected a time above zero, found {}", format_seconds(step_time)));
  if (!(step_time >= kLeast && step_time <= kMost))
    throw InputError(
        fmt::format("expected a step of 1 us to a day (86400 s), found {:.4g} s", step_time.value));
}

Workload with_step_time(Workload workload, Seconds step_time) {
  if (!(step_time > Seconds{0}))
    throw InputError("step time: expected a time above zero");
  const Seconds measured = compute_time(workload);
  if (measured <= Seconds{0}) {
    throw InputError("workload " + workload.name +
                     ": its layer times sum to zero and cannot be scaled to a step time");
  }
  scale_times(workload, step_time / measured);
  workload.update = workload.update * (step_time / measured);
  return workload;
}

Workload with_update_time(Workload workload, Seconds update) {
  const Seconds step = compute_time(workload);
  const Seconds passes = step - workload.update;
  if (!(update >= Seconds{} && update < step && passes > Seconds{}))
    throw InputError(fmt::format("expected less than the step's {}, which holds it, found {}",
                                 format_seconds(step), format_seconds(update)));
  scale_times(workload, (step - update) / passes);
  workload.update = update;
  return workload;
}

bool has_times_of_one_batch(const Workload& workload) {
  return workload.batch_scaling == BatchScaling::Unknown;
}

Workload with_batch(Workload workload, std::uint32_t batch) {
  if (batch == 0)
    throw InputError("batch: expected a whole number of at least 1, found 0");
  const double factor = static_cast<double>(batch) / workload.batch;
  for (const Layer& layer : workload.layers)
    if (layer.kronecker &&
        !kCountRange.contains(static_cast<double>(layer.kronecker->rows) * factor))
      throw InputError(fmt::format("batch {}: layer {} would have more than {:.0e} rows of factors",
                                   batch, in_quotes(layer.name), kCountRange.most));
  if (workload.batch_scaling == BatchScaling::Proportional)
    scale_times(workload, factor);
  for (Layer& layer : workload.layers) {
    layer.activation = layer.activation * factor;
    if (layer.kronecker)
      layer.kronecker->rows = layer.kronecker->rows / workload.batch * batch;
  }
  workload.batch = batch;
  return workload;
}

}  // namespace stepcast
